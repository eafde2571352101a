import { parseDuration, type Selector } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import { type DrainEvent, evictPods, type PlanOptions, planNodeDrain, setUnschedulable } from "@rollcall/drain"
import { readSelector } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EventSpec } from "../input/Scenario.ts"

/** Receives the messages that `kubectl drain` would print. */
export interface DrainLog {
  /** Called with a reason why a node is not drained, or with a warning of a drain that goes on. */
  readonly warn: (message: string) => void
  /**
   * Called when the drain starts to wait for a pod (`namespace/name`), with the reason: the API's message if a budget blocks the pod.
   * Called with undefined when it stops waiting.
   */
  readonly setWaitReason: (pod: string, reason: string | undefined) => void
}

/** A log that discards the messages. */
export const discardingLog: DrainLog = { warn: () => undefined, setWaitReason: () => undefined }

const selectorOf = ({ podSelector }: EventSpec): Selector | undefined => {
  if (podSelector === undefined) return undefined
  const read = readSelector(podSelector)
  return Result.isSuccess(read) ? read.success : undefined
}

const planOptions = (spec: EventSpec): PlanOptions => {
  const podSelector = selectorOf(spec)
  const { skipWaitForDeleteTimeout: skip } = spec
  return {
    force: spec.force ?? false,
    ignoreDaemonsets: spec.ignoreDaemonsets ?? false,
    deleteEmptydirData: spec.deleteEmptydirData ?? false,
    ...(podSelector === undefined ? {} : { podSelector }),
    ...(skip === undefined ? {} : { skipWaitForDeleteTimeoutSeconds: Math.trunc(parseDuration(skip) / 1000) })
  }
}

/** Reports the events of a drain to its log. */
const drainListener =
  ({ setWaitReason }: DrainLog) =>
  (event: DrainEvent): void => {
    const { name = "", namespace = "" } = event.pod.metadata
    if (event.type === "evicting" || event.type === "deleting")
      setWaitReason(`${namespace}/${name}`, "it is still terminating")
    else if (event.type === "refused" || event.type === "namespaceTerminating") {
      const [cause] = event.error.status.details?.causes ?? []
      setWaitReason(`${namespace}/${name}`, cause?.message ?? event.error.message)
    } else setWaitReason(`${namespace}/${name}`, undefined)
  }

const drainOne = Effect.fnUntraced(function* (cluster: ClusterShape, node: string, spec: EventSpec, log: DrainLog) {
  const options = planOptions(spec)
  const { errors, evict, warnings } = yield* planNodeDrain(cluster, node, options)
  for (const warning of warnings) log.warn(`node ${node}: ${warning}`)
  if (errors.length > 0) {
    for (const error of errors) log.warn(`node ${node} is not drained: ${error}`)
    return
  }
  const done = yield* Effect.result(
    evictPods(cluster, evict, {
      ...options,
      disableEviction: spec.disableEviction ?? false,
      ...(spec.gracePeriodSeconds === undefined || spec.gracePeriodSeconds < 0
        ? {}
        : { gracePeriodSeconds: spec.gracePeriodSeconds }),
      ...(spec.timeout === undefined ? {} : { timeoutMs: parseDuration(spec.timeout) }),
      onEvent: drainListener(log)
    })
  )
  if (Result.isSuccess(done)) return
  for (const message of done.failure.messages) log.warn(`node ${node} is not drained: ${message}`)
  for (const { metadata } of evict) log.setWaitReason(`${metadata.namespace ?? ""}/${metadata.name ?? ""}`, undefined)
})

/** Drains the nodes like `kubectl drain`: cordons them all, then evicts the pods of one node after another. */
export const drainNodes = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  nodes: ReadonlyArray<string>,
  spec: EventSpec,
  log: DrainLog
): Effect.fn.Return<void, ClusterError> {
  for (const name of nodes) yield* setUnschedulable(cluster, yield* cluster.get("Node", { name }), true)
  for (const name of nodes) yield* drainOne(cluster, name, spec, log)
})
