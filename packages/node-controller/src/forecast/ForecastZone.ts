import { done, type EvictionZone, limiterRate } from "@rollcall/eviction/rules"
import type { StopReason, ZonePace } from "./EvictionForecast.ts"

/** What a zone needs to know of a queued node. */
interface QueuedNode {
  readonly name: string
}

const compareNames = (left: QueuedNode, right: QueuedNode): number => (left.name < right.name ? -1 : 1)

/** A zone of the node lifecycle controller, with the nodes in its queue. */
export class ForecastZone<A extends QueuedNode> {
  readonly zone: EvictionZone
  readonly changes: Array<ZonePace & { readonly atMs: number }> = []
  private readonly sortsByName: boolean
  private readonly nodes = new Map<string, A>()
  /** When a node was last added without being sorted yet. */
  private addedMs: number | undefined
  /** When the zone got its limiter, if no token has been taken since. */
  private untouchedLimiterSinceMs: number | undefined

  /**
   * `sortsByName` says whether each pass removes all queued nodes and queues them again in order of name, as passes do
   * that queue nodes for taints.
   */
  constructor(zone: EvictionZone, sortsByName: boolean) {
    this.zone = zone
    this.sortsByName = sortsByName
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

  has({ name }: A): boolean {
    return this.nodes.has(name)
  }

  add(node: A, atMs: number): void {
    if (this.has(node) || !this.zone.queue.add(node.name, atMs)) return
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

  /** Removes and returns the next queued node, if the limiter admits it. */
  takeNext(atMs: number): A | undefined {
    this.sort()
    const { queue } = this.zone
    const entry = queue.next(atMs)
    if (entry === undefined) return undefined
    this.untouchedLimiterSinceMs = undefined
    queue.settle(entry, done, atMs)
    const node = this.nodes.get(entry.value)
    this.nodes.delete(entry.value)
    return node
  }

  /** Empties the limiter, as a node that was acted on at that instant did. */
  drainLimiter(atMs: number): void {
    const { limiter } = this.zone.queue
    limiter.drain(atMs)
    if (limiter.kind === "tokenBucket") this.untouchedLimiterSinceMs = undefined
  }

  /**
   * Called if a node has been waiting, so that the limiter cannot have admitted it: the limiter was empty when the zone
   * got it. It looks full only because times in the API are cut to whole seconds.
   */
  assumeEmptyLimiter(nowMs: number): void {
    if (this.untouchedLimiterSinceMs === undefined || this.admitsAt(nowMs) > nowMs) return
    this.zone.queue.limiter.drain(this.untouchedLimiterSinceMs)
    this.untouchedLimiterSinceMs = undefined
  }

  /** Sets the zone's rate, as the controller does when zone states change. */ setRate(
    nodesPerSecond: number,
    atMs: number
  ): void {
    const before = this.zone.queue.limiter
    const admits = this.admitsAt(atMs) <= atMs
    if (this.zone.swapLimiter(nodesPerSecond, atMs) !== before) this.untouchedLimiterSinceMs = admits ? atMs : undefined
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
    const { addedMs, sortsByName, nodes } = this
    this.addedMs = undefined
    if (addedMs === undefined || !sortsByName) return
    const { queue } = this.zone
    for (const { name } of [...nodes.values()].sort(compareNames)) {
      queue.remove(name)
      queue.add(name, addedMs)
    }
  }
}
