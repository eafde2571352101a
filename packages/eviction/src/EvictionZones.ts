import * as Semaphore from "effect/Semaphore"
import { type DisruptionDecision, decideDisruption } from "./Disruption.ts"
import { type Limiter, tokenBucketLimiter } from "./Limiter.ts"
import { RateLimitedQueue } from "./RateLimitedQueue.ts"
import type { DisruptionFlags, ZoneCounts, ZoneState } from "./ZoneState.ts"

/** One zone: the members that wait to be evicted, and what has been counted of all. */
export class EvictionZone {
  readonly key: string
  /** Undefined: not registered, or forgotten since. What waits is handed out all the same. */
  state: ZoneState | undefined
  queue: RateLimitedQueue
  /** Members that were evicted and whose end is to be seen to, at the same rate; only of a limiter with `terminate`. */
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

  /** Forgets that the member was to be acted on, or was; false if it was not. */
  cancel(member: string): boolean {
    const ended = this.terminating?.remove(member) === true
    return this.queue.remove(member) || ended
  }

  /** Goes over to another rate; see `swapLimiter` for what carries over. */
  swapLimiter(evictionsPerSecond: number, nowMs: number): Limiter {
    this.terminating?.swapLimiter(evictionsPerSecond, nowMs)
    return this.queue.swapLimiter(evictionsPerSecond, nowMs)
  }
}

const byKey = (left: EvictionZone, right: EvictionZone): number => (left.key < right.key ? -1 : 1)

/**
 * All zones, in plain code that takes the time as an argument: for a caller that counts and queues many members at a time.
 * `EvictionLimiter` acts on them.
 */
export class EvictionZones {
  readonly flags: DisruptionFlags
  private readonly zones = new Map<string, EvictionZone>()
  private readonly terminates: boolean
  private sorted: ReadonlyArray<EvictionZone> | undefined

  /** `terminates`: zones have a second queue. */
  constructor(flags: DisruptionFlags, terminates = false) {
    this.flags = flags
    this.terminates = terminates
  }

  /** Every zone that was ever asked for, in the order of keys. */
  all(): ReadonlyArray<EvictionZone> {
    this.sorted ??= [...this.zones.values()].sort(byKey)
    return this.sorted
  }

  get(key: string): EvictionZone | undefined {
    return this.zones.get(key)
  }

  /** The zone of this key, made if need be. */
  of(key: string): EvictionZone {
    const present = this.zones.get(key)
    if (present !== undefined) return present
    const zone = new EvictionZone(key, this.newQueue(), this.terminates ? this.newQueue() : undefined)
    this.zones.set(key, zone)
    this.sorted = undefined
    return zone
  }

  /** Gives a zone that has none the state Initial, with empty queues and full buckets; answers whether it had none. */
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

  /** Starts counting anew. */
  resetCounts(): void {
    for (const zone of this.all()) {
      zone.ready = 0
      zone.notReady = 0
    }
  }

  /** Zones of which anything has been counted. */
  counts(): ReadonlyMap<string, ZoneCounts> {
    const counts = new Map<string, ZoneCounts>()
    for (const { key, notReady, ready } of this.all()) if (ready + notReady > 0) counts.set(key, { ready, notReady })
    return counts
  }

  /** Judges the zones by these counts; changes nothing. */
  decide(counts: ReadonlyMap<string, ZoneCounts> = this.counts()): DisruptionDecision {
    const states = new Map<string, ZoneState>()
    for (const { key, state } of this.all()) if (state !== undefined) states.set(key, state)
    return decideDisruption(states, counts, this.flags)
  }

  /** Remembers what was decided of the states. Rates are the caller's to change. */
  remember({ states }: DisruptionDecision): void {
    for (const zone of this.all()) zone.state = states.get(zone.key)
  }

  private newQueue(): RateLimitedQueue {
    return new RateLimitedQueue(tokenBucketLimiter(this.flags.nodeEvictionRate))
  }
}
