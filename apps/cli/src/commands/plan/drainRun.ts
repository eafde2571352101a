import { matchesLabelSelector, parseDuration, parseLabelSelector } from "@rollcall/api"
import { decideEviction } from "@rollcall/api-server"
import { type ClusterSnapshot, planDrain } from "@rollcall/drain"
import { invalid } from "@rollcall/input"
import { GAPLESS } from "@rollcall/simulator/snapshot"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { CommandEnded } from "../../CommandEnded.ts"
import { openOutput } from "../../output.ts"
import { objectsOfFiles } from "./drainFiles.ts"
import { renderDrainJson } from "./drainJson.ts"
import type { ClusterObjects } from "./drainObjects.ts"
import { plannedScheduler } from "./drainScheduler.ts"
import { snapshotOf } from "./drainSnapshot.ts"
import { renderDrainTable } from "./drainTable.ts"
import { unknownNode } from "./unknownNode.ts"

export interface PlanDrainCommand {
  readonly names: ReadonlyArray<string>
  readonly snapshot: ReadonlyArray<string>
  readonly kubeconfig: string | undefined
  readonly selector: string | undefined
  readonly podSelector: string | undefined
  readonly force: boolean
  readonly ignoreDaemonsets: boolean
  readonly deleteEmptydirData: boolean
  readonly disableEviction: boolean
  readonly gracePeriod: number
  readonly timeout: string
  readonly skipWait: number
  readonly output: "table" | "json"
}

const BLOCKED = 1
const wrong = (flag: string, message: string) => invalid("command line", flag, message)

const selectorOf = Effect.fnUntraced(function* (flag: string, given: string | undefined) {
  if (given === undefined) return undefined
  const parsed = parseLabelSelector(given)
  if (Result.isSuccess(parsed)) return parsed.success
  return yield* wrong(flag, `found "${given}", expected a label selector: ${parsed.failure.message}`)
})

const timeoutSeconds = Effect.fnUntraced(function* (given: string) {
  const parsed = yield* Effect.result(Effect.try({ try: () => parseDuration(given), catch: () => undefined }))
  if (Result.isSuccess(parsed) && parsed.success >= 0) return parsed.success / 1000
  return yield* wrong("--timeout", `found "${given}", expected a duration such as 90s or 5m`)
})

const objectsOf = Effect.fnUntraced(function* ({ kubeconfig, snapshot }: PlanDrainCommand) {
  if (kubeconfig !== undefined && snapshot.length > 0) {
    return yield* wrong("--snapshot", "the cluster is taken from files or from a cluster, not from both")
  }
  if (snapshot.length > 0) {
    return yield* objectsOfFiles(snapshot)
  }
  if (kubeconfig === undefined) return yield* wrong("", "needs --snapshot or --kubeconfig: which cluster?")
  const { objectsOfCluster } = yield* Effect.promise(() => import("./drainCluster.ts"))
  return yield* objectsOfCluster(kubeconfig)
})

/** Budgets hold up no deletion. */
const gapsThatMatter = ({ gaps }: ClusterObjects, disableEviction: boolean) =>
  disableEviction ? gaps.filter(({ kind }) => kind !== "PodDisruptionBudget") : gaps

/** The nodes that are meant, in order: `n1`, or as kubectl takes it too, `node/n1`. */
const nodesOf = Effect.fnUntraced(function* ({ names, selector }: PlanDrainCommand, { nodes }: ClusterSnapshot) {
  if (names.length > 0 && selector !== undefined) {
    return yield* wrong("--selector", "nodes are given by name or by label, not by both")
  }
  const known = nodes.map(({ metadata }) => metadata.name ?? "")
  const bare = names.map((name) => name.replace(/^(nodes?|no)\//, ""))
  for (const name of bare) if (!known.includes(name)) return yield* wrong("NODE", unknownNode(name, known))
  if (names.length > 0) return [...new Set(bare)]
  const wanted = yield* selectorOf("--selector", selector)
  if (wanted === undefined) return yield* wrong("NODE", "is required: the nodes to drain, or --selector")
  const found = nodes.filter(({ metadata }) => matchesLabelSelector(wanted, metadata.labels))
  if (found.length === 0) return yield* wrong("--selector", `no node has the labels "${selector ?? ""}"`)
  return found.map(({ metadata }) => metadata.name ?? "").toSorted()
})

export const runPlanDrain = Effect.fnUntraced(function* (given: PlanDrainCommand) {
  const { deleteEmptydirData, disableEviction, force, gracePeriod, ignoreDaemonsets, output, skipWait } = given
  const podSelector = yield* selectorOf("--pod-selector", given.podSelector)
  const timeout = yield* timeoutSeconds(given.timeout)
  if (skipWait < 0)
    return yield* wrong("--skip-wait-for-delete-timeout", `found ${skipWait}, expected 0 seconds or more`)
  const objects = yield* objectsOf(given)
  const snapshot = snapshotOf(objects)
  const gaps = gapsThatMatter(objects, disableEviction)
  for (const { message } of gaps) yield* Console.error(`rollcall: warning: ${message}`)
  if (gaps.length > 0 && given.snapshot.length > 0) yield* Console.error(`rollcall: warning: ${GAPLESS}`)
  const plan = planDrain(
    snapshot,
    {
      nodes: yield* nodesOf(given, snapshot),
      force,
      ignoreDaemonsets,
      deleteEmptydirData,
      disableEviction,
      timeoutSeconds: timeout,
      skipWaitForDeleteTimeoutSeconds: skipWait,
      ...(gracePeriod < 0 ? {} : { gracePeriodSeconds: gracePeriod }),
      ...(podSelector === undefined ? {} : { podSelector })
    },
    { scheduler: plannedScheduler(objects), decideEviction }
  )
  const { write } = yield* openOutput(undefined)
  yield* write(
    output === "json" ? renderDrainJson({ plan, snapshot, gaps }) : renderDrainTable({ plan, snapshot, gaps })
  )
  if (plan.blocked) return yield* new CommandEnded({ code: BLOCKED })
}, Effect.scoped)
