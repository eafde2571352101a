import { type Limiter, swapLimiter, tokenBucketLimiter, type ZoneState } from "@rollcall/eviction"
import { rateOfLimiter } from "../lifecycle/Zones.ts"
import type { StopReason, ZonePace } from "./EvictionForecast.ts"

/** The pause of the loop that serves the queues: after a refusal the next try. */
const LOOP_MS = 100

/** What a zone needs of a node that may wait in it. */
interface Waiting {
  readonly name: string
  waits: boolean
}

const compareNames = (left: Waiting, right: Waiting): number => (left.name < right.name ? -1 : 1)

/** A zone's state, limiter and queue, as its controller would have them. */
export class ForecastZone<A extends Waiting> {
  readonly key: string
  state: ZoneState = "Initial"
  ready = 0
  notReady = 0
  readonly changes: Array<ZonePace & { readonly atMs: number }> = []
  private limiter: Limiter
  private readonly byName: boolean
  /** When its bucket was emptied; undefined: it is full. */
  private drainedMs: number | undefined
  /** When it was given its limiter. */
  private swappedMs: number | undefined
  /** Where nodes are tainted each pass takes all that wait out and puts them in again, by name; pods' deletion keeps its order. */
  private readonly queue: Array<A> = []

  constructor(key: string, nodeEvictionRate: number, byName: boolean) {
    this.key = key
    this.byName = byName
    this.limiter = tokenBucketLimiter(nodeEvictionRate)
  }

  get waiting(): ReadonlyArray<A> {
    return this.queue
  }

  count(ready: boolean, by: 1 | -1): void {
    if (ready) this.ready += by
    else this.notReady += by
  }

  add(node: A): void {
    if (node.waits) return
    node.waits = true
    const at = !this.byName ? -1 : this.queue.findIndex((other) => compareNames(node, other) < 0)
    this.queue.splice(at < 0 ? this.queue.length : at, 0, node)
  }

  remove(node: A): void {
    if (!node.waits) return
    node.waits = false
    this.queue.splice(this.queue.indexOf(node), 1)
  }

  /** When the next node that waits may be acted on, not before this instant. */
  admitsAt(fromMs: number): number {
    if (this.limiter.kind === "never") return Number.POSITIVE_INFINITY
    if (this.drainedMs === undefined) return fromMs
    const qps = Math.fround(this.limiter.qps)
    return qps <= 0 ? Number.POSITIVE_INFINITY : Math.max(fromMs, this.drainedMs + Math.ceil(1000 / qps))
  }

  /** The node whose turn it is, if the limiter admits it. */
  next(atMs: number): A | undefined {
    if (this.limiter.tryTake(atMs)) {
      this.drainedMs = atMs
      const node = this.queue.shift()
      if (node !== undefined) node.waits = false
      return node
    }
    this.drainedMs = (this.drainedMs ?? atMs) + LOOP_MS
    return undefined
  }

  /** A node was acted on: whatever was in the bucket is gone. */
  recall(atMs: number): void {
    this.limiter.tryTake(atMs)
    if (this.limiter.kind === "tokenBucket") this.drainedMs = atMs
  }

  /**
   * A node has been waiting, so its limiter did not admit it: then it was empty when the zone got it. Times in the API are
   * whole seconds, and sometimes one of them decides about that.
   */
  refused(nowMs: number): void {
    if (this.swappedMs === undefined || this.admitsAt(nowMs) > nowMs) return
    this.drainedMs = Math.max(this.drainedMs ?? this.swappedMs, this.swappedMs)
  }

  swap(nodesPerSecond: number, atMs: number): void {
    const before = this.limiter
    const admits = this.admitsAt(atMs) <= atMs
    this.limiter = swapLimiter(before, nodesPerSecond, atMs)
    if (this.limiter === before) return
    this.drainedMs = admits ? undefined : atMs
    this.swappedMs = atMs
  }

  pace(): ZonePace {
    const nodesPerSecond = rateOfLimiter(this.limiter)
    return { state: this.state, nodesPerSecond, stoppedBy: nodesPerSecond > 0 ? undefined : this.stopReason() }
  }

  private stopReason(): StopReason {
    if (this.limiter.kind === "never" && this.state === "FullDisruption") return "all-zones-down"
    return this.state === "PartialDisruption" ? "partial-disruption" : "rate"
  }
}
