import { parseTime } from "@rollcall/api"
import { releaseOfName } from "@rollcall/input"
import { renderEvictionsJson, renderEvictionsTable, reportEvictions } from "@rollcall/node-controller/report"
import { evictionObjectsOfCluster, evictionObjectsOfDocuments } from "@rollcall/simulator/snapshot"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { usageError } from "../../usageError.ts"
import { checkNodeNames } from "./checkNodeNames.ts"
import { type EvictionFlags, evictionSettings } from "./evictionsSettings.ts"
import { type ClusterSource, readSource } from "./sources.ts"

/** The command line of `rollcall plan evictions`. */
export interface PlanEvictionsCommand extends EvictionFlags, ClusterSource {
  /** The nodes to plan for; an empty list selects all unhealthy nodes. */
  readonly names: ReadonlyArray<string>
  readonly asOf: string | undefined
  readonly release: string | undefined
  readonly output: "table" | "json"
}

/** Returns the time of --as-of in milliseconds since the Unix epoch, or undefined if it is not given. */
const readAsOf = Effect.fnUntraced(function* ({ asOf, snapshotFiles }: PlanEvictionsCommand) {
  if (asOf === undefined) return undefined
  if (snapshotFiles.length === 0) {
    return yield* usageError("--as-of is the time of a snapshot: give --snapshot too", "--as-of")
  }
  const parsed = parseTime(asOf)
  if (!Number.isNaN(parsed)) return parsed
  return yield* usageError(`found "${asOf}", expected a time such as 2026-01-02T15:04:05Z`, "--as-of")
})

/** Runs `rollcall plan evictions`. Prints the plan, and warnings about what the input lacks. */
export const runPlanEvictions = Effect.fnUntraced(function* (given: PlanEvictionsCommand) {
  const release = yield* Effect.fromResult(releaseOfName("command line", given.release, "--release"))
  const settings = yield* evictionSettings(given, release)
  const asOf = yield* readAsOf(given)
  const objects = yield* readSource(
    given,
    (documents) => evictionObjectsOfDocuments(documents, asOf),
    evictionObjectsOfCluster
  )
  const names = given.names.length === 0 ? undefined : yield* checkNodeNames(given.names, objects.nodes)
  const report = reportEvictions(objects, settings, release, names)
  for (const { message } of report.gaps) yield* Console.error(`rollcall: warning: ${message}`)
  const { write } = yield* openOutput(undefined)
  yield* write(given.output === "json" ? renderEvictionsJson(report) : renderEvictionsTable(report))
}, Effect.scoped)
