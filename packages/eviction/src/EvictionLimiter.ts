import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { DisruptionDecision } from "./Disruption.ts"
import { type EvictionZone, EvictionZones } from "./EvictionZones.ts"
import { type Limiter, limiterRate } from "./Limiter.ts"
import { type Outcome, retryAfter } from "./RateLimitedQueue.ts"
import { type Poll, pollOnClock, serveZones } from "./serveZones.ts"
import type { TimedEntry } from "./TimedQueue.ts"
import {
  type DisruptionFlags,
  defaultDisruptionFlags,
  type ZoneCounts,
  type ZoneHealth,
  type ZoneState
} from "./ZoneState.ts"

/** Told what the limiter does: for logs, metrics, a display. */
export interface EvictionObserver {
  /** A zone was seen for the first time, or anew after it had been forgotten. */
  readonly onZone?: (zone: string) => void
  /** What was counted of a zone; of one that has vanished, too. */
  readonly onHealth?: (zone: string, health: ZoneHealth) => void
  /** Nothing is alive in any zone, or (false) no longer so. */
  readonly onAllZonesDown?: (entered: boolean) => void
  readonly onZoneState?: (zone: string, before: ZoneState, after: ZoneState) => void
  /** A zone's rate has changed; 0: nothing more is evicted. */
  readonly onRate?: (zone: string, evictionsPerSecond: number, limiter: Limiter) => void
  readonly onEvicted?: (zone: string, member: string, outcome: Outcome) => void
}

export interface EvictionTurn {
  readonly zone: EvictionZone
  /** When the member was queued. */
  readonly addedAt: number
}

/** Acts on a member whose turn it is. Answers `done`, or `retryAfter` when it could not. */
export type Evict<R> = (member: string, zone: string, turn: EvictionTurn) => Effect.Effect<Outcome, never, R>

export interface EvictionLimiterOptions<R = never> {
  readonly flags?: Partial<DisruptionFlags>
  /** The pause between two looks at the queues; 100 ms as upstream. */
  readonly period?: Duration.Input
  /** Takes a member out of service. */
  readonly evict: Evict<R>
  /** Sees to the end of a member that `evict` has put into its zone's queue `terminating`; absent: there is no such queue. */
  readonly terminate?: Evict<R>
  readonly observer?: EvictionObserver
  /** Members are handed out when this has ended; absent: at once. */
  readonly start?: Effect.Effect<void>
  /** How the loop waits for something to hand out; on Effect's Clock unless given. Timers of plain code do it at a third of the cost. */
  readonly poll?: Poll
}

/**
 * Evicts members of a fleet zone by zone, at a rate that an outage cannot turn into an avalanche: members queue up, a loop
 * on the Clock hands them to `evict` as the zone's limiter allows, and each `observe` sets the limiters by what the zones look
 * like. When nothing is alive in any zone, nothing is evicted: then it is rather the observer that is cut off.
 */
export class EvictionLimiter extends Context.Service<
  EvictionLimiter,
  {
    /** Zones, their queues and what is counted, for callers that look at thousands of members at a time. */
    readonly zones: EvictionZones
    /** Makes a zone known, which then has the state Initial. */
    readonly register: (zone: string) => void
    /**
     * Judges all zones by how many members are ready (`zones.counts()` unless given), and gives them their rates. What has to
     * be done between the two is done by `act`: `enterAllZonesDown` means forgive everybody, `exitAllZonesDown` start all
     * silences anew. A zone that is not among the counts is forgotten: what waits there is still worked off, and it starts
     * afresh when it comes back.
     */
    readonly judge: (
      act?: (decision: DisruptionDecision) => Effect.Effect<void>,
      counts?: ReadonlyMap<string, ZoneCounts>
    ) => Effect.Effect<DisruptionDecision>
    /** Registers the zones of these counts, and judges. */
    readonly observe: (counts: ReadonlyMap<string, ZoneCounts>) => Effect.Effect<DisruptionDecision>
    /** Queues a member for eviction; false if it waits or was evicted already and has not been removed since. */
    readonly add: (zone: string, member: string) => Effect.Effect<boolean>
    /** Takes a member off, waiting or evicted: it is well again. */
    readonly remove: (zone: string, member: string) => Effect.Effect<boolean>
    /** Hands out what may go now, besides the loop. */
    readonly sweep: Effect.Effect<void>
  }
>()("@rollcall/eviction/EvictionLimiter") {
  /** The limiter and its loop, which ends with the layer. */
  static readonly layer = <R = never>(options: EvictionLimiterOptions<R>): Layer.Layer<EvictionLimiter, never, R> =>
    Layer.effect(EvictionLimiter, make(options))
}

const PERIOD_MS = 100

/** A member whose eviction throws waits for so long. */
const RETRY_MS = 10_000

const nothing = () => Effect.void

/** What throws ends no more than itself: it is logged, and `instead` is its outcome. */
const logged = <A, B, R>(effect: Effect.Effect<A, never, R>, instead: B): Effect.Effect<A | B, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.as(Effect.logError("Unhandled error in an eviction", cause), instead)
  )

const make = Effect.fnUntraced(function* <R>(
  options: EvictionLimiterOptions<R>
): Effect.fn.Return<EvictionLimiter["Service"], never, R | Scope.Scope> {
  const { evict, observer = {}, poll = pollOnClock, start = Effect.void, terminate } = options
  const periodMs = Duration.toMillis(options.period ?? PERIOD_MS)
  const zones = new EvictionZones({ ...defaultDisruptionFlags, ...options.flags }, terminate !== undefined)
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<R>()

  const register = (zone: string) => {
    if (zones.register(zone)) observer.onZone?.(zone)
  }

  const acting =
    (act: Evict<R>) =>
    ({ addedAt, value }: TimedEntry, zone: EvictionZone) =>
      logged(
        Effect.suspend(() => act(value, zone.key, { zone, addedAt })),
        retryAfter(RETRY_MS)
      ).pipe(
        Effect.provideContext(context),
        Effect.tap((outcome) =>
          logged(
            Effect.sync(() => observer.onEvicted?.(zone.key, value, outcome)),
            undefined
          )
        )
      )
  const evicting = serveZones({ clock, zones, queueOf: ({ queue }) => queue, act: acting(evict) })
  const served = [evicting]
  if (terminate !== undefined) {
    served.push(serveZones({ clock, zones, queueOf: ({ terminating }) => terminating, act: acting(terminate) }))
  }
  const loops = served.map(({ sweep, turn }) =>
    Effect.andThen(logged(sweep, undefined), Effect.forever(logged(turn(poll, periodMs), undefined)))
  )
  yield* start.pipe(Effect.andThen(Effect.all(loops, { concurrency: "unbounded", discard: true })), Effect.forkScoped)

  const setRate = (zone: EvictionZone, rate: number) =>
    zone.lock.withPermit(
      Effect.sync(() => {
        const before = limiterRate(zone.queue.limiter)
        const limiter = zone.swapLimiter(rate, clock.currentTimeMillisUnsafe())
        const after = limiterRate(limiter)
        if (before !== after) observer.onRate?.(zone.key, after, limiter)
      })
    )

  const tell = ({ mode, states }: DisruptionDecision) => {
    if (mode === "enterAllZonesDown") observer.onAllZonesDown?.(true)
    if (mode === "exitAllZonesDown") observer.onAllZonesDown?.(false)
    for (const [key, after] of states) {
      const before = zones.get(key)?.state ?? "Initial"
      if (before !== after) observer.onZoneState?.(key, before, after)
    }
  }

  const judge: EvictionLimiter["Service"]["judge"] = (act = nothing, counts = zones.counts()) =>
    Effect.suspend(() => {
      const decision = zones.decide(counts)
      for (const [key, health] of decision.health) observer.onHealth?.(key, health)
      if (decision.mode === "none") {
        zones.remember(decision)
        return Effect.succeed(decision)
      }
      tell(decision)
      return act(decision).pipe(
        Effect.andThen(
          Effect.forEach(decision.rates, ([key, rate]) => setRate(zones.of(key), rate), { discard: true })
        ),
        Effect.andThen(Effect.sync(() => zones.remember(decision))),
        Effect.as(decision)
      )
    })

  return {
    zones,
    register,
    judge,
    observe: (counts) =>
      Effect.suspend(() => {
        for (const zone of counts.keys()) register(zone)
        return judge(nothing, counts)
      }),
    add: (zone, member) =>
      Effect.sync(() => {
        register(zone)
        return zones.of(zone).queue.add(member, clock.currentTimeMillisUnsafe())
      }),
    remove: (zone, member) => Effect.sync(() => zones.get(zone)?.cancel(member) ?? false),
    sweep: evicting.sweep
  }
})
