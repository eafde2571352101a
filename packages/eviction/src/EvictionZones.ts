import { type DisruptionDecision, decideDisruption } from "./Disruption.ts"
import { type Limiter, tokenBucketLimiter } from "./Limiter.ts"
import { RateLimitedQueue } from "./RateLimitedQueue.ts"
import type { DisruptionFlags, ZoneCounts, ZoneState } from "./ZoneState.ts"

/** One zone: the members queued for eviction, and the counts of its members. */
export class EvictionZone {
  readonly key: string
  /** Undefined if the zone is not registered, or was forgotten since. Its queued members are still evicted. */
  state: ZoneState | undefined
  queue: RateLimitedQueue
  /** Members that were evicted and that `terminate` has to finish, at the same rate; undefined without that option. */
  terminating: RateLimitedQueue | undefined
  ready = 0
  notReady = 0

  constructor(key: string, queue: RateLimitedQueue, terminating: RateLimitedQueue | undefined) {
    this.key = key
    this.queue = queue
    this.terminating = terminating
  }

  /** Counts `by` members more, or less. */
  count(ready: boolean, by = 1): void {
    if (ready) this.ready += by
    else this.notReady += by
  }

  /** Forgets the member, whether it is queued or was evicted. Returns false if it is not known. */
  cancel(member: string): boolean {
    const wasTerminating = this.terminating?.remove(member) === true
    return this.queue.remove(member) || wasTerminating
  }

  /** Changes the rate; see `swapLimiter` for what carries over. */
  swapLimiter(evictionsPerSecond: number, nowMs: number): Limiter {
    this.terminating?.swapLimiter(evictionsPerSecond, nowMs)
    return this.queue.swapLimiter(evictionsPerSecond, nowMs)
  }
}

const byKey = (left: EvictionZone, right: EvictionZone): number => (left.key < right.key ? -1 : 1)

/**
 * All zones, in plain code that takes the time as an argument, for callers that count and queue many members at a time.
 * `EvictionLimiter` evicts the queued members.
 */
export class EvictionZones {
  readonly flags: DisruptionFlags
  private readonly zones = new Map<string, EvictionZone>()
  private readonly hasTerminating: boolean
  private sorted: ReadonlyArray<EvictionZone> | undefined

  /** `hasTerminating` says whether each zone has a queue `terminating`. */
  constructor(flags: DisruptionFlags, hasTerminating = false) {
    this.flags = flags
    this.hasTerminating = hasTerminating
  }

  /** Every zone ever created, in order of key. */
  all(): ReadonlyArray<EvictionZone> {
    this.sorted ??= [...this.zones.values()].sort(byKey)
    return this.sorted
  }

  get(key: string): EvictionZone | undefined {
    return this.zones.get(key)
  }

  /** Returns the zone of this key, creating it if need be. */
  of(key: string): EvictionZone {
    const present = this.zones.get(key)
    if (present !== undefined) return present
    const zone = new EvictionZone(key, this.newQueue(), this.hasTerminating ? this.newQueue() : undefined)
    this.zones.set(key, zone)
    this.sorted = undefined
    return zone
  }

  /**
   * Gives a zone without a state the state Initial, with empty queues and full buckets. Returns false if it had a
   * state.
   */
  register(key: string): boolean {
    const present = this.zones.get(key)
    if (present?.state !== undefined) return false
    const zone = this.of(key)
    if (present !== undefined) {
      zone.queue = this.newQueue()
      if (this.hasTerminating) zone.terminating = this.newQueue()
    }
    zone.state = "Initial"
    return true
  }

  /** Sets all counts to zero. */
  resetCounts(): void {
    for (const zone of this.all()) {
      zone.ready = 0
      zone.notReady = 0
    }
  }

  /** The counts of the zones that have any. */
  counts(): ReadonlyMap<string, ZoneCounts> {
    const counts = new Map<string, ZoneCounts>()
    for (const { key, notReady, ready } of this.all()) if (ready + notReady > 0) counts.set(key, { ready, notReady })
    return counts
  }

  /** Computes the decision for these counts; changes nothing. */
  decide(counts: ReadonlyMap<string, ZoneCounts> = this.counts()): DisruptionDecision {
    const states = new Map<string, ZoneState>()
    for (const { key, state } of this.all()) if (state !== undefined) states.set(key, state)
    return decideDisruption(states, counts, this.flags)
  }

  /** Stores the states of a decision. The caller changes the rates. */
  remember({ states }: DisruptionDecision): void {
    for (const zone of this.all()) zone.state = states.get(zone.key)
  }

  private newQueue(): RateLimitedQueue {
    return new RateLimitedQueue(tokenBucketLimiter(this.flags.nodeEvictionRate))
  }
}
