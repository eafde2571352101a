import type { Node, Pod, Taint } from "@rollcall/api"
import { type EventRecorder, type Informer, type InformerHandler, ignoresHeartbeats, keyOf } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Order from "effect/Order"
import { byNodeName } from "../ControllerInformers.ts"
import type { NodeControllerObserver } from "../Observer.ts"
import { judgeEviction } from "./TaintEviction.ts"
import {
  nodeOrTolerationsChanged,
  noExecuteTaints,
  noExecuteTaintsChanged,
  type PodItem,
  TaintEvictionQueue
} from "./TaintEvictionQueue.ts"
import { type ScheduledEviction, TimedEvictions } from "./TimedEvictions.ts"

export interface TaintEvictorOptions {
  readonly timers: TimersShape
  readonly nodes: Informer<"Node">
  readonly pods: Informer<"Pod">
  readonly recorder: EventRecorder
  readonly observer: NodeControllerObserver
  /** Gate TaintTolerationComparisonOperators. */
  readonly comparisonOperators: boolean
  /** Starts a deletion. Calls `done` when it has succeeded or failed, or `failed` when it threw. */
  readonly startDeletion: (eviction: ScheduledEviction, done: () => void, failed: () => void) => void
}

const byName = Order.mapInput(Order.String, keyOf)

/**
 * Schedules and cancels evictions as taints, tolerations and pods change. Plain code: it makes no requests and never
 * waits. Upstream: pkg/controller/tainteviction/taint_eviction.go handleNodeUpdate, handlePodUpdate, processPodOnNode.
 */
export class TaintEvictor {
  private readonly options: TaintEvictorOptions
  private readonly evictions: TimedEvictions
  private readonly queue: TaintEvictionQueue
  private readonly taintedNodes = new Map<string, ReadonlyArray<Taint>>()

  constructor(options: TaintEvictorOptions) {
    this.options = options
    this.evictions = new TimedEvictions(options.timers, (key, eviction) => {
      this.recordEvent(eviction, `Marking for deletion Pod ${key}`)
      options.startDeletion(
        eviction,
        () => this.evictions.finished(key),
        () => this.evictions.failed(key, eviction)
      )
    })
    this.queue = new TaintEvictionQueue(options.timers, {
      handleNode: (name) => this.handleNode(name),
      handlePod: (item) => this.handlePod(item)
    })
  }

  readonly nodeHandler: InformerHandler<Node> = {
    ...ignoresHeartbeats,
    onAdd: (node) => {
      // A new node without taints only matters to pods that were bound to an earlier node of its name.
      if (noExecuteTaints(node).length > 0 || this.evictions.size > 0) this.addNode(node)
    },
    onUpdate: (old, node) => {
      if (noExecuteTaintsChanged(old, node)) this.addNode(node)
    },
    onDelete: (node) => this.addNode(node)
  }

  readonly podHandler: InformerHandler<Pod> = {
    onAdd: (pod) => this.addPod(pod),
    onUpdate: (old, pod) => {
      if (nodeOrTolerationsChanged(old, pod)) this.addPod(pod)
    },
    onDelete: (pod) => this.addPod(pod)
  }

  /** Starts to process changes, including those queued before. */
  start(): void {
    this.queue.start()
  }

  /** Cancels all scheduled evictions. */
  stop(): void {
    this.queue.stop()
    this.evictions.clear()
  }

  pending(): ReadonlyArray<ScheduledEviction> {
    return this.evictions.allPending()
  }

  private addNode(node: Node): void {
    this.queue.addNode(node.metadata.name ?? "")
  }

  private addPod({ metadata: { name = "", namespace = "" }, spec: { nodeName = "" } }: Pod): void {
    // No node is tainted and nothing is scheduled: processing the pod would change nothing.
    if (this.taintedNodes.size === 0 && this.evictions.size === 0 && !this.queue.hasNodes) return
    this.queue.addPod({ namespace, name, node: nodeName })
  }

  private handleNode(name: string): void {
    const { nodes, pods, timers } = this.options
    const node = nodes.find(name)
    const taints = noExecuteTaints(node)
    if (taints.length === 0) this.taintedNodes.delete(name)
    else this.taintedNodes.set(name, taints)
    // The scheduled evictions of a deleted node's pods stay.
    if (node === undefined) return
    const now = timers.now()
    for (const pod of pods.byIndex(byNodeName, name).sort(byName)) {
      if (taints.length === 0) this.cancel(keyOf(pod))
      else this.decide(pod, taints, now)
    }
  }

  private handlePod({ name, namespace, node }: PodItem): void {
    const { pods, timers } = this.options
    const pod = pods.find(name, namespace)
    if (pod === undefined) {
      this.cancel(`${namespace}/${name}`)
      return
    }
    if ((pod.spec.nodeName ?? "") !== node || node === "") return
    const taints = this.taintedNodes.get(node)
    if (taints !== undefined) this.decide(pod, taints, timers.now())
  }

  private decide(pod: Pod, taints: ReadonlyArray<Taint>, now: number): void {
    const key = keyOf(pod)
    const { comparisonOperators } = this.options
    const scheduledAtMs = this.evictions.pending(key)?.createdMs
    const verdict = judgeEviction(taints, pod.spec.tolerations, scheduledAtMs, now, comparisonOperators)
    if (verdict.kind === "keep") return
    // A deletion in progress prevents a new schedule; only an immediate eviction cancels it.
    if (verdict.kind !== "schedule" || scheduledAtMs !== undefined) this.cancel(key)
    if (verdict.kind === "tolerate") return
    const { createdMs, dueMs } = verdict.kind === "evict" ? { createdMs: now, dueMs: now } : verdict
    const { name = "", namespace = "" } = pod.metadata
    const eviction = { namespace, pod: name, node: pod.spec.nodeName ?? "", createdMs, dueMs }
    if (this.evictions.add(key, eviction) && dueMs > createdMs) this.options.observer.evictionScheduled(eviction)
  }

  private cancel(key: string): void {
    const eviction = this.evictions.cancel(key)
    if (eviction === undefined) return
    this.recordEvent(eviction, `Cancelling deletion of Pod ${key}`)
    this.options.observer.evictionCancelled(eviction)
  }

  /** Records an Event about the pod. As upstream's, its reference has no UID. */
  private recordEvent({ namespace, pod: name }: ScheduledEviction, message: string): void {
    const reference = { apiVersion: "v1", kind: "Pod", namespace, name }
    this.options.recorder.event(reference, "Normal", "TaintManagerEviction", message)
  }
}
