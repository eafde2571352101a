import { matchesLabelSelector, type Node, parseDuration, parseLabelSelector } from "@rollcall/api"
import { renderDrainJson, renderDrainTable } from "@rollcall/drain/report"
import {
  drainGapsOf,
  gapAdvice,
  objectsOfCluster,
  objectsOfDocuments,
  planClusterDrain
} from "@rollcall/simulator/snapshot"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { CommandEnded } from "../../CommandEnded.ts"
import { openOutput } from "../../output.ts"
import { usageError } from "../../usageError.ts"
import { checkNodeNames } from "./checkNodeNames.ts"
import { type ClusterSource, readSource } from "./sources.ts"

/** The command line of `rollcall plan drain`. */
export interface PlanDrainCommand extends ClusterSource {
  readonly names: ReadonlyArray<string>
  readonly selector: string | undefined
  readonly podSelector: string | undefined
  readonly force: boolean
  readonly ignoreDaemonsets: boolean
  readonly deleteEmptydirData: boolean
  readonly disableEviction: boolean
  /** Seconds; negative selects the grace period of each pod. */
  readonly gracePeriod: number
  /** How long to wait for each node, as text: `5m`; `0s` is no limit. */
  readonly timeout: string
  /** --skip-wait-for-delete-timeout in seconds. */
  readonly skipWait: number
  readonly output: "table" | "json"
}

/** The exit code if the drain is blocked. */
const BLOCKED = 1

const readSelector = Effect.fnUntraced(function* (flag: string, given: string | undefined) {
  if (given === undefined) return undefined
  const parsed = parseLabelSelector(given)
  if (Result.isSuccess(parsed)) return parsed.success
  return yield* usageError(`found "${given}", expected a label selector: ${parsed.failure.message}`, flag)
})

const readTimeoutSeconds = Effect.fnUntraced(function* (given: string) {
  const parsed = yield* Effect.result(Effect.try({ try: () => parseDuration(given), catch: () => undefined }))
  if (Result.isSuccess(parsed) && parsed.success >= 0) return parsed.success / 1000
  return yield* usageError(`found "${given}", expected a duration such as 90s or 5m`, "--timeout")
})

/** Returns the names of the nodes to drain: the given names in their order, or those of all nodes that match the selector, sorted. */
const selectNodes = Effect.fnUntraced(function* ({ names, selector }: PlanDrainCommand, nodes: ReadonlyArray<Node>) {
  if (names.length > 0 && selector !== undefined) {
    return yield* usageError("node names and --selector exclude each other: give one of them", "--selector")
  }
  if (names.length > 0) return yield* checkNodeNames(names, nodes)
  const wanted = yield* readSelector("--selector", selector)
  if (wanted === undefined)
    return yield* usageError("the nodes to drain are required: give their names or --selector", "NODE")
  const found = nodes.filter(({ metadata }) => matchesLabelSelector(wanted, metadata.labels))
  if (found.length === 0) return yield* usageError(`no node has the labels "${selector ?? ""}"`, "--selector")
  return found.map(({ metadata }) => metadata.name ?? "").toSorted()
})

/** Runs `rollcall plan drain`. Prints the plan and warnings about what the input lacks; ends with exit code 1 if the drain is blocked. */
export const runPlanDrain = Effect.fnUntraced(function* (given: PlanDrainCommand) {
  const { deleteEmptydirData, disableEviction, force, gracePeriod, ignoreDaemonsets, output, skipWait } = given
  const podSelector = yield* readSelector("--pod-selector", given.podSelector)
  const timeout = yield* readTimeoutSeconds(given.timeout)
  const objects = yield* readSource(given, objectsOfDocuments, objectsOfCluster)
  const gaps = drainGapsOf(objects, disableEviction)
  for (const { message } of gaps) yield* Console.error(`rollcall: warning: ${message}`)
  const advice = given.snapshotFiles.length > 0 ? gapAdvice(gaps) : []
  for (const line of advice) yield* Console.error(`rollcall: warning: ${line}`)
  const plan = planClusterDrain(objects, {
    nodes: yield* selectNodes(given, objects.of("Node")),
    force,
    ignoreDaemonsets,
    deleteEmptydirData,
    disableEviction,
    timeoutSeconds: timeout,
    skipWaitForDeleteTimeoutSeconds: skipWait,
    ...(gracePeriod < 0 ? {} : { gracePeriodSeconds: gracePeriod }),
    ...(podSelector === undefined ? {} : { podSelector })
  })
  const { write } = yield* openOutput(undefined)
  yield* write(output === "json" ? renderDrainJson({ plan, gaps }) : renderDrainTable({ plan, gaps }))
  if (plan.blocked) return yield* new CommandEnded({ code: BLOCKED })
}, Effect.scoped)
