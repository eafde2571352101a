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
import { withLock } from "./withLock.ts"
import {
  type DisruptionFlags,
  defaultDisruptionFlags,
  type ZoneCounts,
  type ZoneHealth,
  type ZoneState
} from "./ZoneState.ts"

/** Callbacks about what the limiter does, for logs, metrics or a display. All are optional. */
export interface EvictionObserver {
  /** A zone was seen for the first time, or for the first time since it was forgotten. */
  readonly onZone?: (zone: string) => void
  /** The figures of a zone in this pass; also called for a zone that has vanished. */
  readonly onHealth?: (zone: string, health: ZoneHealth) => void
  /** Called with true when no member is ready in any zone, and with false when that has ended. */
  readonly onAllZonesDown?: (entered: boolean) => void
  /** A zone has changed state. */
  readonly onZoneState?: (zone: string, before: ZoneState, after: ZoneState) => void
  /** A zone's rate has changed; 0 stops evictions. */
  readonly onRate?: (zone: string, evictionsPerSecond: number, limiter: Limiter) => void
  /** `evict` or `terminate` has returned for a member, whatever the outcome. */
  readonly onEvicted?: (zone: string, member: string, outcome: Outcome) => void
}

/** Where and when a member was queued. */
export interface QueuedEviction {
  readonly zone: EvictionZone
  /** When the member was queued, in milliseconds on Effect's Clock. */
  readonly addedAt: number
}

/** Acts on a member that was taken from the queue. Returns `done`, or `retryAfter` when it could not act. */
export type Evict<R> = (member: string, zone: string, queued: QueuedEviction) => Effect.Effect<Outcome, never, R>

/** What the limiter does and how fast. */
export interface EvictionLimiterOptions<R = never> {
  /** Absent flags have the defaults of kube-controller-manager. */
  readonly flags?: Partial<DisruptionFlags>
  /** The pause between two passes over the queues; 100 ms as upstream. */
  readonly period?: Duration.Input
  /** Takes a member out of service. */
  readonly evict: Evict<R>
  /**
   * Finishes a member that `evict` has put into its zone's queue `terminating`. If absent, zones have no such queue.
   */
  readonly terminate?: Evict<R>
  readonly observer?: EvictionObserver
  /** The loop starts when this effect completes; by default at once. */
  readonly start?: Effect.Effect<void>
  /** How the loop waits for work; by default with a fiber on Effect's Clock. Plain timers cost a third of that. */
  readonly poll?: Poll
}

/**
 * Evicts members of a fleet zone by zone, at a limited rate, so that an outage does not evict everything at once:
 * members queue up, a loop on the Clock passes them to `evict` as the zone's limiter allows, and each `observe` sets
 * the limiters from the state of the zones. While no member is ready in any zone, nothing is evicted: the observer is
 * more likely to be cut off than the members.
 */
export class EvictionLimiter extends Context.Service<
  EvictionLimiter,
  {
    /** The zones with their queues and counts, for callers that process thousands of members at a time. */
    readonly zones: EvictionZones
    /** Adds a zone, in state Initial, unless it is known. */
    readonly register: (zone: string) => void
    /**
     * Computes the state of all zones from how many members are ready (`zones.counts()` by default), and sets their
     * rates. Between the two it runs `act`: on `enterAllZonesDown` the caller cancels all evictions, on
     * `exitAllZonesDown` it restarts all grace periods. A zone that is not among the counts is forgotten: members
     * queued there are still evicted, and the zone starts as Initial when it is counted again.
     */
    readonly handleDisruption: (
      act?: (decision: DisruptionDecision) => Effect.Effect<void>,
      counts?: ReadonlyMap<string, ZoneCounts>
    ) => Effect.Effect<DisruptionDecision>
    /** Registers the zones of these counts, then handles disruption. */
    readonly observe: (counts: ReadonlyMap<string, ZoneCounts>) => Effect.Effect<DisruptionDecision>
    /**
     * Queues a member for eviction. Returns false if it is queued or was evicted already and has not been removed
     * since.
     */
    readonly add: (zone: string, member: string) => Effect.Effect<boolean>
    /** Forgets a member that has recovered, whether it is queued or was evicted. Returns false if it is not known. */
    readonly remove: (zone: string, member: string) => Effect.Effect<boolean>
    /** Runs one pass over the queues now, in addition to the loop. */
    readonly sweep: Effect.Effect<void>
  }
>()("@rollcall/eviction/EvictionLimiter") {
  /** The limiter and its loop. The loop ends with the layer. */
  static readonly layer = <R = never>(options: EvictionLimiterOptions<R>): Layer.Layer<EvictionLimiter, never, R> =>
    Layer.effect(EvictionLimiter, make(options))
}

/** The pause between two passes. Upstream: nodeEvictionPeriod. */
const PERIOD_MS = 100

/** How long a member whose eviction throws waits for the next try. */
const RETRY_MS = 10_000

const noAction = () => Effect.void

/** Logs a defect of `effect` and returns `instead`; an interruption is not caught. */
const logFailure = <A, B, R>(effect: Effect.Effect<A, never, R>, instead: B): Effect.Effect<A | B, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.as(Effect.logError("Unhandled error in an eviction", cause), instead)
  )

const notifyObserver = (observer: EvictionObserver, zones: EvictionZones, { mode, states }: DisruptionDecision) => {
  if (mode === "enterAllZonesDown") observer.onAllZonesDown?.(true)
  if (mode === "exitAllZonesDown") observer.onAllZonesDown?.(false)
  for (const [key, after] of states) {
    const before = zones.get(key)?.state ?? "Initial"
    if (before !== after) observer.onZoneState?.(key, before, after)
  }
}

const setRate = (observer: EvictionObserver, clock: Clock.Clock, zone: EvictionZone, rate: number) =>
  withLock(
    zone,
    Effect.sync(() => {
      const before = limiterRate(zone.queue.limiter)
      const limiter = zone.swapLimiter(rate, clock.currentTimeMillisUnsafe())
      const after = limiterRate(limiter)
      if (before !== after) observer.onRate?.(zone.key, after, limiter)
    })
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

  /** Wraps `evict` or `terminate`: a defect is logged and retried, and the observer is told the outcome. */
  const guardedAction =
    (act: Evict<R>) =>
    ({ addedAt, value }: TimedEntry, zone: EvictionZone) =>
      logFailure(
        Effect.suspend(() => act(value, zone.key, { zone, addedAt })),
        retryAfter(RETRY_MS)
      ).pipe(
        Effect.provideContext(context),
        Effect.tap((outcome) =>
          logFailure(
            Effect.sync(() => observer.onEvicted?.(zone.key, value, outcome)),
            undefined
          )
        )
      )
  const evictionServer = serveZones({ clock, zones, queueOf: ({ queue }) => queue, act: guardedAction(evict) })
  const servers = [evictionServer]
  if (terminate !== undefined) {
    servers.push(serveZones({ clock, zones, queueOf: ({ terminating }) => terminating, act: guardedAction(terminate) }))
  }
  const loops = servers.map(({ sweep, pollAndServe }) =>
    Effect.andThen(logFailure(sweep, undefined), Effect.forever(logFailure(pollAndServe(poll, periodMs), undefined)))
  )
  yield* start.pipe(Effect.andThen(Effect.all(loops, { concurrency: "unbounded", discard: true })), Effect.forkScoped)

  const handleDisruption: EvictionLimiter["Service"]["handleDisruption"] = (act = noAction, counts = zones.counts()) =>
    Effect.suspend(() => {
      const decision = zones.decide(counts)
      for (const [key, health] of decision.health) observer.onHealth?.(key, health)
      if (decision.mode === "none") {
        zones.remember(decision)
        return Effect.succeed(decision)
      }
      notifyObserver(observer, zones, decision)
      return act(decision).pipe(
        Effect.andThen(
          Effect.forEach(decision.rates, ([key, rate]) => setRate(observer, clock, zones.of(key), rate), {
            discard: true
          })
        ),
        Effect.andThen(Effect.sync(() => zones.remember(decision))),
        Effect.as(decision)
      )
    })

  return {
    zones,
    register,
    handleDisruption,
    observe: (counts) =>
      Effect.suspend(() => {
        for (const zone of counts.keys()) register(zone)
        return handleDisruption(noAction, counts)
      }),
    add: (zone, member) =>
      Effect.sync(() => {
        register(zone)
        return zones.of(zone).queue.add(member, clock.currentTimeMillisUnsafe())
      }),
    remove: (zone, member) => Effect.sync(() => zones.get(zone)?.cancel(member) ?? false),
    sweep: evictionServer.sweep
  }
})
