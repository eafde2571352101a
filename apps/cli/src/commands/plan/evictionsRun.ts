import { featureGatesOf, parseTime } from "@rollcall/api"
import { invalid, releaseOfName } from "@rollcall/input"
import { forecastEvictions } from "@rollcall/node-controller"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openOutput } from "../../output.ts"
import { evictionObjectsOfFiles } from "./evictionsFiles.ts"
import { renderEvictionsJson } from "./evictionsJson.ts"
import type { EvictionObjects } from "./evictionsObjects.ts"
import { type EvictionFlags, evictionSettings } from "./evictionsSettings.ts"
import { renderEvictionsTable } from "./evictionsTable.ts"
import { unknownNode } from "./unknownNode.ts"

export interface PlanEvictionsCommand extends EvictionFlags {
  readonly names: ReadonlyArray<string>
  readonly snapshot: ReadonlyArray<string>
  readonly asOf: string | undefined
  readonly kubeconfig: string | undefined
  readonly release: string | undefined
  readonly output: "table" | "json"
}

const wrong = (flag: string, message: string) => invalid("command line", flag, message)

const instantOf = Effect.fnUntraced(function* ({ asOf, snapshot }: PlanEvictionsCommand) {
  if (asOf === undefined) return undefined
  if (snapshot.length === 0) return yield* wrong("--as-of", "says when a snapshot was taken: needs --snapshot")
  const parsed = parseTime(asOf)
  if (!Number.isNaN(parsed)) return parsed
  return yield* wrong("--as-of", `found "${asOf}", expected a time such as 2026-01-02T15:04:05Z`)
})

const objectsOf = Effect.fnUntraced(function* (given: PlanEvictionsCommand) {
  const { kubeconfig, snapshot } = given
  const asOf = yield* instantOf(given)
  if (kubeconfig !== undefined && snapshot.length > 0) {
    return yield* wrong("--snapshot", "the cluster is taken from files or from a cluster, not from both")
  }
  if (snapshot.length > 0) return yield* evictionObjectsOfFiles(snapshot, asOf)
  if (kubeconfig === undefined) return yield* wrong("", "needs --snapshot or --kubeconfig: which cluster?")
  const { evictionObjectsOfCluster } = yield* Effect.promise(() => import("./evictionsCluster.ts"))
  return yield* evictionObjectsOfCluster(kubeconfig)
})

/** The nodes that are meant, `n1` or `node/n1`; undefined: all. */
const namesOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>, { nodes }: EvictionObjects) {
  if (names.length === 0) return undefined
  const known = nodes.map(({ metadata }) => metadata.name ?? "")
  const bare = names.map((name) => name.replace(/^(nodes?|no)\//, ""))
  for (const name of bare) if (!known.includes(name)) return yield* wrong("NODE", unknownNode(name, known))
  return new Set(bare)
})

export const runPlanEvictions = Effect.fnUntraced(function* (given: PlanEvictionsCommand) {
  const release = yield* Effect.fromResult(releaseOfName("command line", given.release, "--release"))
  const settings = yield* evictionSettings(given, release)
  const objects = yield* objectsOf(given)
  const names = yield* namesOf(given.names, objects)
  const gaps = objects.gaps.filter(({ kind }) => release.nodeLeases || kind !== "Lease")
  for (const { message } of gaps) yield* Console.error(`rollcall: warning: ${message}`)
  const forecast = forecastEvictions({
    nowMs: objects.nowMs,
    nodes: objects.nodes,
    // Where there are no leases, a status is posted as often.
    leases: release.nodeLeases ? objects.leases : [],
    pods: objects.pods,
    settings,
    outOfService: featureGatesOf(release).NodeOutOfServiceVolumeDetach,
    comparisonOperators: featureGatesOf(release).TaintTolerationComparisonOperators === true
  })
  const told = {
    forecast: {
      ...forecast,
      nodes:
        names === undefined ? forecast.nodes : forecast.nodes.filter(({ node }) => names.has(node.metadata.name ?? ""))
    },
    settings,
    asked: names === undefined ? undefined : [...names],
    gaps
  }
  const { write } = yield* openOutput(undefined)
  yield* write(given.output === "json" ? renderEvictionsJson(told) : renderEvictionsTable(told))
}, Effect.scoped)
