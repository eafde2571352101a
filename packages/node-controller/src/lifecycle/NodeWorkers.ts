import { getNodeCondition, isNodeReady, type Node, type Pod } from "@rollcall/api"
import {
  type ClusterShape,
  type EventRecorder,
  type Informer,
  keyOf,
  runWorkers,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { logFailure } from "../failureLog.ts"
import type { NodePatches } from "../NodePatches.ts"
import { noScheduleDifference } from "./ConditionTaints.ts"
import { labelsToSet } from "./LabelReconcile.ts"
import type { NodeRecords } from "./NodeRecords.ts"
import { markPodsNotReady } from "./PodMarker.ts"

const NODE_WORKERS = 8
const POD_WORKERS = 4

/** Why a pod is processed again later. */
class PodNotHandled extends Data.TaggedError("PodNotHandled")<{ readonly why: string }> {}

/**
 * Keeps each node's NoSchedule taints and beta labels in line with its conditions and labels. Without a rate limit,
 * and without a retry after a failure: the node's next event triggers the next attempt.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNodeProcessingPassWorker.
 */
export class NodeReconciler {
  private readonly queue: WorkQueue<string>
  private readonly records: NodeRecords
  private readonly patches: NodePatches
  private readonly conditionTaints: boolean

  constructor(queue: WorkQueue<string>, records: NodeRecords, patches: NodePatches, conditionTaints: boolean) {
    this.queue = queue
    this.records = records
    this.patches = patches
    this.conditionTaints = conditionTaints
  }

  /** Queues an added or changed node if its taints or labels must change. */
  readonly enqueueIfNeeded = (node: Node): void => {
    const { labels, name = "" } = node.metadata
    if (this.taintDifference(node) !== undefined || labelsToSet(labels) !== undefined) this.queue.add(name)
  }

  readonly run: Effect.Effect<void> = Effect.suspend(() =>
    runWorkers(this.queue, NODE_WORKERS, (name) => this.reconcile(name))
  )

  private taintDifference(node: Node) {
    return this.conditionTaints ? noScheduleDifference(node) : undefined
  }

  private readonly reconcile = Effect.fnUntraced({ self: this }, function* (this: NodeReconciler, name: string) {
    const node = this.records.find(name)?.node
    const taintDifference = node === undefined ? undefined : this.taintDifference(node)
    if (node !== undefined && taintDifference !== undefined) {
      yield* this.patches.swap(node, taintDifference.toAdd, taintDifference.toRemove)
    }
    const labels = labelsToSet(this.records.find(name)?.node?.metadata.labels)
    if (labels === undefined) return
    yield* Effect.catch(this.patches.setLabels(name, labels), ({ message }) => {
      const shown = Object.entries(labels).map(([key, value]) => `${key}:${value}`)
      const err = `unable to update labels map[${shown.join(" ")}] for Node "${name}": ${message}`
      return logFailure("Unhandled Error", err, {})
    })
  })
}

export interface LatePodsOptions {
  readonly queue: WorkQueue<string>
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly records: NodeRecords
  readonly pods: Informer<"Pod">
}

/**
 * Sets Ready=False on pods that are bound to a node which is not ready by the controller's record.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go processPod.
 */
export class LatePods {
  private readonly queue: WorkQueue<string>
  private readonly options: LatePodsOptions

  constructor(options: LatePodsOptions) {
    this.queue = options.queue
    this.options = options
  }

  /** Queues a pod that was added with a node, or bound to one, if the node is missing or not ready. */
  podChanged(old: Pod | undefined, pod: Pod): void {
    const { nodeName = "" } = pod.spec
    if (nodeName === "" || nodeName === old?.spec.nodeName) return
    if (this.isNodeMissingOrUnready(nodeName)) this.queue.add(keyOf(pod))
  }

  readonly run: Effect.Effect<void> = Effect.suspend(() =>
    runWorkers(this.queue, POD_WORKERS, (key) => this.process(key))
  )

  /** Processes the pod `namespace/name`; fails if it must be processed again. */
  readonly process = Effect.fnUntraced({ self: this }, function* (this: LatePods, key: string): Effect.fn.Return<
    void,
    PodNotHandled
  > {
    const { cluster, pods, recorder, records, timers } = this.options
    const pod = pods.get(key)
    const nodeName = pod?.spec.nodeName ?? ""
    if (pod === undefined || !this.isNodeMissingOrUnready(nodeName)) return
    if (records.find(nodeName)?.node === undefined) return yield* new PodNotHandled({ why: "its node is not cached" })
    yield* Effect.mapError(
      markPodsNotReady(cluster, recorder, timers.now, [pod]),
      (error) => new PodNotHandled({ why: error.message })
    )
  })

  /** Whether the node has a health record, and is either missing from the cache or not ready by that record. */
  private isNodeMissingOrUnready(nodeName: string): boolean {
    // A report that changes readiness leaves the columns.
    const record = this.options.records.peek(nodeName)
    if (record?.health === undefined) return false
    if (record.node === undefined) return true
    return getNodeCondition(record.health, "Ready") !== undefined && !isNodeReady(record.health)
  }
}
