import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { type DisruptionDecision, decideDisruption } from "./Disruption.ts"
import { type Limiter, tokenBucketLimiter } from "./Limiter.ts"
import { type Outcome, RateLimitedQueue, retryAfter } from "./RateLimitedQueue.ts"
import { type DisruptionFlags, defaultDisruptionFlags, type ZoneCounts, type ZoneState } from "./ZoneState.ts"

/** Told what the limiter does: for logs, metrics, a display. */
export interface EvictionObserver {
  readonly onZoneState?: (zone: string, before: ZoneState, after: ZoneState) => void
  readonly onRate?: (zone: string, limiter: Limiter) => void
  readonly onEvicted?: (zone: string, member: string, outcome: Outcome) => void
}

export interface EvictionLimiterOptions<R = never> {
  readonly flags?: Partial<DisruptionFlags>
  /** The pause between two looks at the queues; 100 ms as upstream. */
  readonly period?: Duration.Input
  /** Takes a member out of service. Answers `done`, or `retryAfter` when it could not. */
  readonly evict: (member: string, zone: string) => Effect.Effect<Outcome, never, R>
  readonly observer?: EvictionObserver
}

interface Zone {
  readonly queue: RateLimitedQueue
  /** Held while the zone's queue is worked on, so that a swap of the limiter waits for an eviction under way. */
  readonly lock: Semaphore.Semaphore
}

/**
 * Evicts members of a fleet zone by zone, at a rate that an outage cannot turn into an avalanche: members queue up, a loop
 * on the Clock hands them to `evict` as the zone's limiter allows, and each `observe` sets the limiters by what the zones look
 * like. When nothing is alive in any zone, nothing is evicted: then it is rather the observer that is cut off.
 */
export class EvictionLimiter extends Context.Service<
  EvictionLimiter,
  {
    /**
     * Judges all zones by how many members are ready, and gives them their rates. The caller acts on the mode:
     * `enterAllZonesDown` means forgive everybody, `exitAllZonesDown` start all silences anew. A zone that is not among the
     * counts is forgotten: what waits there is still worked off, and it starts afresh when it comes back.
     */
    readonly observe: (counts: ReadonlyMap<string, ZoneCounts>) => Effect.Effect<DisruptionDecision>
    /** Queues a member for eviction; false if it waits or was evicted already and has not been removed since. */
    readonly add: (zone: string, member: string) => Effect.Effect<boolean>
    /** Takes a member off, waiting or evicted: it is well again. */
    readonly remove: (zone: string, member: string) => Effect.Effect<boolean>
    readonly zoneState: (zone: string) => Effect.Effect<ZoneState | undefined>
    readonly limiterOf: (zone: string) => Effect.Effect<Limiter | undefined>
    readonly waiting: (zone: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@rollcall/eviction/EvictionLimiter") {
  /** The limiter and its loop, which ends with the layer. */
  static readonly layer = <R = never>(options: EvictionLimiterOptions<R>): Layer.Layer<EvictionLimiter, never, R> =>
    Layer.effect(EvictionLimiter, make(options))
}

/** A member whose eviction throws waits for so long. */
const RETRY_MS = 10_000

/** What throws ends no more than itself: it is logged, and `instead` is its outcome. */
const logged = <A, B, R>(effect: Effect.Effect<A, never, R>, instead: B): Effect.Effect<A | B, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.as(Effect.logError("Unhandled error in an eviction", cause), instead)
  )

const make = Effect.fnUntraced(function* <R>(options: EvictionLimiterOptions<R>) {
  const { evict, observer = {}, period = "100 millis" } = options
  const flags = { ...defaultDisruptionFlags, ...options.flags }
  const zones = new Map<string, Zone>()
  let states: ReadonlyMap<string, ZoneState> = new Map()

  /** A zone that is new, or was forgotten, starts with an empty queue and a full bucket. */
  const register = (name: string): Zone => {
    const zone = zones.get(name)
    if (zone !== undefined && states.has(name)) return zone
    const fresh = {
      queue: new RateLimitedQueue(tokenBucketLimiter(flags.nodeEvictionRate)),
      lock: Semaphore.makeUnsafe(1)
    }
    zones.set(name, fresh)
    states = new Map(states).set(name, "Initial")
    return fresh
  }

  const setRate = (name: string, { lock, queue }: Zone, qps: number) =>
    Effect.gen(function* () {
      const limiter = queue.swapLimiter(qps, yield* Clock.currentTimeMillis)
      observer.onRate?.(name, limiter)
    }).pipe(lock.withPermit)

  const observe = Effect.fnUntraced(function* (counts: ReadonlyMap<string, ZoneCounts>) {
    for (const name of counts.keys()) register(name)
    const before = states
    const decision = decideDisruption(before, counts, flags)
    states = decision.states
    for (const name of decision.vanished) if (zones.get(name)?.queue.size === 0) zones.delete(name)
    for (const [name, after] of decision.states) {
      const old = before.get(name) ?? "Initial"
      if (old !== after) observer.onZoneState?.(name, old, after)
    }
    for (const [name, qps] of decision.rates) {
      const zone = zones.get(name)
      if (zone !== undefined) yield* setRate(name, zone, qps)
    }
    return decision
  })

  const work = ({ lock, queue }: Zone, name: string): Effect.Effect<void, never, R> =>
    Effect.gen(function* () {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const entry = queue.next(now)
        if (entry === undefined) return
        const outcome = yield* logged(
          Effect.suspend(() => evict(entry.value, name)),
          retryAfter(RETRY_MS)
        )
        queue.settle(entry, outcome, now)
        yield* logged(
          Effect.sync(() => observer.onEvicted?.(name, entry.value, outcome)),
          undefined
        )
      }
    }).pipe(lock.withPermit)

  const sweep = Effect.suspend(() => Effect.forEach([...zones], ([name, zone]) => work(zone, name), { discard: true }))
  yield* logged(sweep, undefined).pipe(Effect.andThen(Effect.sleep(period)), Effect.forever, Effect.forkScoped)

  return EvictionLimiter.of({
    observe,
    add: (zone, member) => Effect.map(Clock.currentTimeMillis, (now) => register(zone).queue.add(member, now)),
    remove: (zone, member) => Effect.sync(() => zones.get(zone)?.queue.remove(member) ?? false),
    zoneState: (zone) => Effect.sync(() => states.get(zone)),
    limiterOf: (zone) => Effect.sync(() => zones.get(zone)?.queue.limiter),
    waiting: (zone) => Effect.sync(() => zones.get(zone)?.queue.queued() ?? [])
  })
})
