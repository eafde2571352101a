import { done, type EvictionZone, limiterRate } from "@rollcall/eviction"
import type { StopReason, ZonePace } from "./EvictionForecast.ts"

/** What a zone needs to know of a queued node. */
interface Waiting {
  readonly name: string
}

const compareNames = (left: Waiting, right: Waiting): number => (left.name < right.name ? -1 : 1)

/** A zone of the node lifecycle controller, with the nodes in its queue. */
export class ForecastZone<A extends Waiting> {
  readonly zone: EvictionZone
  readonly changes: Array<ZonePace & { readonly atMs: number }> = []
  private readonly byName: boolean
  private readonly nodes = new Map<string, A>()
  /** When a node was last added without being sorted yet. */
  private addedMs: number | undefined
  /** When it got its limiter, if no token has been taken since. */
  private untouchedSinceMs: number | undefined

  /** `byName`: each pass removes all queued nodes and queues them again in order of name, as it does to taint them. */
  constructor(zone: EvictionZone, byName: boolean) {
    this.zone = zone
    this.byName = byName
  }

  get key(): string {
    return this.zone.key
  }

  get waiting(): ReadonlyArray<A> {
    this.sort()
    return this.zone.queue.inOrder().map((name) => this.nodes.get(name) as A)
  }

  get size(): number {
    return this.zone.queue.size
  }

  waits({ name }: A): boolean {
    return this.nodes.has(name)
  }

  add(node: A, atMs: number): void {
    if (this.waits(node) || !this.zone.queue.add(node.name, atMs)) return
    this.nodes.set(node.name, node)
    this.addedMs = atMs
  }

  remove({ name }: A): void {
    this.nodes.delete(name)
    this.zone.cancel(name)
  }

  /** When the next queued node may be acted on, at `fromMs` or later. */
  admitsAt(fromMs: number): number {
    return this.zone.queue.limiter.admitsAt(fromMs)
  }

  /** The next node, if the limiter admits it. */
  next(atMs: number): A | undefined {
    this.sort()
    const { queue } = this.zone
    const entry = queue.next(atMs)
    if (entry === undefined) return undefined
    this.untouchedSinceMs = undefined
    queue.settle(entry, done, atMs)
    const node = this.nodes.get(entry.value)
    this.nodes.delete(entry.value)
    return node
  }

  /** A node was acted on: empties the bucket. */
  replay(atMs: number): void {
    const { limiter } = this.zone.queue
    limiter.drain(atMs)
    if (limiter.kind === "tokenBucket") this.untouchedSinceMs = undefined
  }

  /**
   * A node has been waiting, so its limiter did not admit it: the limiter was empty when the zone got it. Times in the
   * API are whole seconds, and sometimes one of them decides this.
   */
  refused(nowMs: number): void {
    if (this.untouchedSinceMs === undefined || this.admitsAt(nowMs) > nowMs) return
    this.zone.queue.limiter.drain(this.untouchedSinceMs)
    this.untouchedSinceMs = undefined
  }

  swap(nodesPerSecond: number, atMs: number): void {
    const before = this.zone.queue.limiter
    const admits = this.admitsAt(atMs) <= atMs
    if (this.zone.swapLimiter(nodesPerSecond, atMs) !== before) this.untouchedSinceMs = admits ? atMs : undefined
  }

  pace(): ZonePace {
    const nodesPerSecond = limiterRate(this.zone.queue.limiter)
    const { state = "Initial" } = this.zone
    return { state, nodesPerSecond, stoppedBy: nodesPerSecond > 0 ? undefined : this.stopReason() }
  }

  private stopReason(): StopReason {
    const { queue, state } = this.zone
    if (queue.limiter.kind === "never" && state === "FullDisruption") return "all-zones-down"
    return state === "PartialDisruption" ? "partial-disruption" : "rate"
  }

  private sort(): void {
    const { addedMs, byName, nodes } = this
    this.addedMs = undefined
    if (addedMs === undefined || !byName) return
    const { queue } = this.zone
    for (const { name } of [...nodes.values()].sort(compareNames)) {
      queue.remove(name)
      queue.add(name, addedMs)
    }
  }
}
