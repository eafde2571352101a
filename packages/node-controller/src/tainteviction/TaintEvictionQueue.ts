import type { Node, Pod, Taint, Toleration } from "@rollcall/api"
import { taintsWithEffect } from "@rollcall/api"
import { Retries } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"

/** A pod to look at, on the node it was on when that was decided. */
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

export const noExecuteTaints = (node: Node | undefined): ReadonlyArray<Taint> => {
  const taints = node?.spec?.taints
  return taints === undefined || taints.length === 0 ? noTaints : taintsWithEffect(taints, "NoExecute")
}

/** Equal in order and in every field. */
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

/** A change of NoExecute taints, timeAdded included, is news. */
export const isNodeNews = (old: Node, node: Node): boolean =>
  old.spec?.taints !== node.spec?.taints && !sameTaints(noExecuteTaints(old), noExecuteTaints(node))

export const isPodNews = (old: Pod, pod: Pod): boolean =>
  old.spec !== pod.spec &&
  (old.spec.nodeName !== pod.spec.nodeName || !sameTolerations(old.spec.tolerations, pod.spec.tolerations))

/**
 * Items to look at, each there once, nodes before pods. Upstream spreads them over eight workers by their node's name; as no
 * worker ever waits, one that takes all in turn decides the same.
 */
export class TaintEvictionQueue {
  private readonly nodes = new Set<string>()
  private readonly pods = new Map<string, PodItem>()
  private readonly timers: TimersShape
  private readonly handlers: TaintEvictionHandlers
  private readonly retries = new Retries<string>()
  private started = false
  private planned = false

  constructor(timers: TimersShape, handlers: TaintEvictionHandlers) {
    this.timers = timers
    this.handlers = handlers
  }

  get hasNodes(): boolean {
    return this.nodes.size > 0
  }

  addNode(name: string): void {
    this.nodes.add(name)
    this.plan()
  }

  addPod(item: PodItem): void {
    this.pods.set(keyOf(item), item)
    this.plan()
  }

  /** From now on items are handled, those that wait first. */
  start(): void {
    this.started = true
    this.plan()
  }

  stop(): void {
    this.started = false
  }

  private plan(): void {
    if (!this.started || this.planned) return
    this.planned = true
    this.timers.soon(() => {
      this.planned = false
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

  /** An item that throws is put back at the rate of a work queue; those behind it have their turn. */
  private handle(item: string, act: () => void, again: () => void): void {
    if (guarded(this.timers, "taint eviction", act, { item })) this.retries.forget(item)
    else this.timers.after(this.retries.nextMs(item, this.timers.now()), again)
  }
}
