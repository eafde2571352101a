import * as Semaphore from "effect/Semaphore"
import { type DisruptionDecision, decideDisruption } from "./Disruption.ts"
import { type Limiter, tokenBucketLimiter } from "./Limiter.ts"
import { RateLimitedQueue } from "./RateLimitedQueue.ts"
import type { DisruptionFlags, ZoneCounts, ZoneState } from "./ZoneState.ts"

/** One zone: the members queued for eviction, and the counts of its members. */
export class EvictionZone {
  readonly key: string
  /** Undefined: not registered, or forgotten since. Members queued here are still evicted. */
  state: ZoneState | undefined
  queue: RateLimitedQueue
  /** Members that were evicted and that `terminate` has to finish, at the same rate; only with a `terminate` option. */
  terminating: RateLimitedQueue | undefined
  ready = 0
  notReady = 0
  /** Held while a member is acted on, so that a change of the rate waits. Upstream: limiterLock. */
  readonly lock = Semaphore.makeUnsafe(1)

  constructor(key: string, queue: RateLimitedQueue, terminating: RateLimitedQueue | undefined) {
    this.key = key
    this.queue = queue
    this.terminating = terminating
  }

  count(ready: boolean, by = 1): void {
    if (ready) this.ready += by
    else this.notReady += by
  }

  /** Removes the member, queued or evicted; false if it is not known. */
  cancel(member: string): boolean {
    const ended = this.terminating?.remove(member) === true
    return this.queue.remove(member) || ended
  }

  /** Changes the rate; see `swapLimiter` for what carries over. */
  swapLimiter(evictionsPerSecond: number, nowMs: number): Limiter {
    this.terminating?.swapLimiter(evictionsPerSecond, nowMs)
    return this.queue.swapLimiter(evictionsPerSecond, nowMs)
  }
}

const byKey = (left: EvictionZone, right: EvictionZone): number => (left.key < right.key ? -1 : 1)

/**
 * All zones, in plain code that takes the time as an argument, for a caller that counts and queues many members at a
 * time. `EvictionLimiter` drives them.
 */
export class EvictionZones {
  readonly flags: DisruptionFlags
  private readonly zones = new Map<string, EvictionZone>()
  private readonly terminates: boolean
  private sorted: ReadonlyArray<EvictionZone> | undefined

  /** `terminates`: each zone has the queue `terminating` too. */
  constructor(flags: DisruptionFlags, terminates = false) {
    this.flags = flags
    this.terminates = terminates
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
    const zone = new EvictionZone(key, this.newQueue(), this.terminates ? this.newQueue() : undefined)
    this.zones.set(key, zone)
    this.sorted = undefined
    return zone
  }

  /**
   * Gives a zone without a state the state Initial, with empty queues and full buckets; returns whether it had none.
   */
  register(key: string): boolean {
    const present = this.zones.get(key)
    if (present?.state !== undefined) return false
    const zone = this.of(key)
    if (present !== undefined) {
      zone.queue = this.newQueue()
      if (this.terminates) zone.terminating = this.newQueue()
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
