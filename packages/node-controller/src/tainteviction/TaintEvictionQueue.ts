import type { Node, Pod, Taint, Toleration } from "@rollcall/api"
import { taintsWithEffect } from "@rollcall/api"
import { Retries } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"

/** A pod to process, on the node that it was on when it was queued. */
export interface PodItem {
  readonly namespace: string
  readonly name: string
  readonly node: string
}

export interface TaintEvictionHandlers {
  readonly handleNode: (name: string) => void
  readonly handlePod: (item: PodItem) => void
}

const keyOf = ({ name, namespace, node }: PodItem): string => `${namespace}/${name}@${node}`

const noTaints: ReadonlyArray<Taint> = []

/** The node's taints with effect NoExecute; none for a node that does not exist. */
export const noExecuteTaints = (node: Node | undefined): ReadonlyArray<Taint> => {
  const taints = node?.spec?.taints
  return taints === undefined || taints.length === 0 ? noTaints : taintsWithEffect(taints, "NoExecute")
}

/** Whether two lists of NoExecute taints are equal, in order and in every other field. */
const sameTaints = (left: ReadonlyArray<Taint>, right: ReadonlyArray<Taint>): boolean =>
  left.length === right.length &&
  left.every((taint, index) => {
    const other = right[index]
    return (
      other !== undefined &&
      taint.key === other.key &&
      (taint.value ?? "") === (other.value ?? "") &&
      taint.timeAdded === other.timeAdded
    )
  })

type Tolerations = ReadonlyArray<Toleration> | undefined

/**
 * Whether two lists of tolerations are equal. An absent field counts as different from an empty one, unlike a taint's
 * value: at worst an unchanged pod is processed once more.
 */
const sameTolerations = (left: Tolerations = [], right: Tolerations = []): boolean =>
  left === right ||
  (left.length === right.length &&
    left.every((toleration, index) => {
      const other = right[index]
      return (
        other !== undefined &&
        toleration.key === other.key &&
        toleration.operator === other.operator &&
        toleration.value === other.value &&
        toleration.effect === other.effect &&
        toleration.tolerationSeconds === other.tolerationSeconds
      )
    }))

/** Whether a node's NoExecute taints have changed, including timeAdded. */
export const noExecuteTaintsChanged = (old: Node, node: Node): boolean =>
  old.spec?.taints !== node.spec?.taints && !sameTaints(noExecuteTaints(old), noExecuteTaints(node))

/** Whether a pod was bound to a node, or its tolerations have changed. */
export const nodeOrTolerationsChanged = (old: Pod, pod: Pod): boolean =>
  old.spec !== pod.spec &&
  (old.spec.nodeName !== pod.spec.nodeName || !sameTolerations(old.spec.tolerations, pod.spec.tolerations))

/**
 * Queue of items without duplicates, nodes before pods. Upstream distributes them over eight workers by a hash of the
 * node's name; since no worker ever waits, a single one makes the same decisions.
 */
export class TaintEvictionQueue {
  private readonly nodes = new Set<string>()
  private readonly pods = new Map<string, PodItem>()
  private readonly timers: TimersShape
  private readonly handlers: TaintEvictionHandlers
  private readonly retries = new Retries<string>()
  private started = false
  private scheduled = false

  constructor(timers: TimersShape, handlers: TaintEvictionHandlers) {
    this.timers = timers
    this.handlers = handlers
  }

  get hasNodes(): boolean {
    return this.nodes.size > 0
  }

  addNode(name: string): void {
    this.nodes.add(name)
    this.schedule()
  }

  addPod(item: PodItem): void {
    this.pods.set(keyOf(item), item)
    this.schedule()
  }

  /** Starts to process items, including those queued before. */
  start(): void {
    this.started = true
    this.schedule()
  }

  stop(): void {
    this.started = false
  }

  private schedule(): void {
    if (!this.started || this.scheduled) return
    this.scheduled = true
    this.timers.soon(() => {
      this.scheduled = false
      this.drain()
    })
  }

  private drain(): void {
    if (!this.started) return
    const nodes = [...this.nodes]
    const pods = [...this.pods.values()]
    this.nodes.clear()
    this.pods.clear()
    for (const node of nodes) {
      this.handle(
        node,
        () => this.handlers.handleNode(node),
        () => this.addNode(node)
      )
    }
    for (const pod of pods) {
      this.handle(
        keyOf(pod),
        () => this.handlers.handlePod(pod),
        () => this.addPod(pod)
      )
    }
  }

  /** An item that throws is queued again with the backoff of a work queue; the items after it are processed. */
  private handle(item: string, process: () => void, requeue: () => void): void {
    if (guarded(this.timers, "taint eviction", process, { item })) this.retries.forget(item)
    else this.timers.after(this.retries.nextMs(item, this.timers.now()), requeue)
  }
}
