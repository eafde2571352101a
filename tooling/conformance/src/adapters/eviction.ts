import { EvictionLimiter } from "@rollcall/eviction"
import {
  alwaysLimiter,
  computeZoneState,
  countsAsReady,
  type DisruptionFlags,
  decideDisruption,
  defaultDisruptionFlags,
  done,
  type Limiter,
  neverLimiter,
  type Outcome,
  RateLimitedQueue,
  rateOf,
  retryAfter,
  TokenBucket,
  tokenBucketLimiter,
  type ZoneCounts,
  type ZoneHealth
} from "@rollcall/eviction/rules"
import { makeVirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Adapters, Json } from "../Adapter.ts"

const msOf = (seconds: number): number => seconds * 1000

const limiterOf = (given: { readonly kind: string; readonly qps: number }): Limiter =>
  given.kind === "tokenBucket" ? tokenBucketLimiter(given.qps) : given.kind === "never" ? neverLimiter : alwaysLimiter

const describeLimiter = ({ kind, qps }: Pick<Limiter, "kind" | "qps">): Json =>
  kind === "tokenBucket" ? { kind, qps } : { kind }

const objectOf = <A>(entries: Iterable<readonly [string, A]>): Json => Object.fromEntries(entries)

const queueSteps = (given: Json, when: Json): Json => {
  const queue = new RateLimitedQueue(limiterOf(given.limiter))
  const answers = new Map<string, Array<Json>>(
    Object.entries<Array<Json>>(given.answers ?? {}).map(([value, list]) => [value, [...list]])
  )
  const answer = (value: string): Outcome => {
    const next = answers.get(value)?.shift()
    return next === undefined || next.done ? done : retryAfter(msOf(next.wait))
  }
  const step = ({ at, op, qps, value }: Json): Json => {
    const now = msOf(at)
    switch (op) {
      case "add":
        return queue.add(value, now)
      case "remove":
        return queue.remove(value)
      case "clear":
        queue.clear()
        return null
      case "swapLimiter":
        return describeLimiter(queue.swapLimiter(qps, now))
      default: {
        const handedOut: Array<string> = []
        queue.try(now, (entry) => {
          handedOut.push(entry.value)
          return answer(entry.value)
        })
        return handedOut
      }
    }
  }
  return {
    results: when.map(step),
    queued: queue.queued().sort(),
    known: queue.known().sort(),
    limiter: describeLimiter(queue.limiter)
  }
}

/** Runs the eviction limiter in virtual time, and returns its state after each pass. */
const disruptionPasses = (flags: DisruptionFlags, when: Json): Json => {
  const time = makeVirtualTime(0)
  const run = <A>(effect: Effect.Effect<A>): A => Exit.getSuccess(time.run(effect)).pipe(Option.getOrThrow)
  const scope = run(Scope.make())
  const layer = EvictionLimiter.layer({ flags, evict: () => Effect.succeed(done) })
  const limiter = Context.get(run(Layer.buildWithScope(layer, scope)), EvictionLimiter)
  const metrics = new Map<string, ZoneHealth>()
  const passes = when.map(({ at, zones }: Json) => {
    time.runUntil(msOf(at))
    const { health, mode, states } = run(limiter.observe(new Map<string, ZoneCounts>(Object.entries(zones))))
    for (const [zone, counted] of health) metrics.set(zone, counted)
    const zoneOf = (zone: string) => limiter.zones.of(zone)
    return {
      mode,
      zoneStates: objectOf([...states.keys()].map((zone) => [zone, zoneOf(zone).state])),
      limiters: objectOf([...states.keys()].map((zone) => [zone, describeLimiter(zoneOf(zone).queue.limiter)])),
      metrics: objectOf(
        [...metrics].map(([zone, { health: percent, notReady, size }]) => [
          zone,
          { zone_size: size, zone_health: percent, unhealthy_nodes_in_zone: notReady }
        ])
      )
    }
  })
  run(Scope.close(scope, Exit.void))
  return passes
}

/** Returns the rate that a zone gets in a state, or when no zone has a ready node. */
const limiterRate = ({ allZonesDown, flags, state, zoneSize }: Json): Json => {
  const counts = new Map<string, ZoneCounts>([["zone", { ready: 0, notReady: zoneSize }]])
  const decided = { ...defaultDisruptionFlags, ...flags }
  const qps = allZonesDown
    ? decideDisruption(new Map([["zone", "Normal"]]), counts, decided).rates.get("zone")
    : rateOf(state, zoneSize, decided)
  return qps === undefined ? { changed: false } : { changed: true, qps }
}

export const evictionAdapters: Adapters = {
  "eviction/token-bucket": ({ given, when }) => {
    const bucket = new TokenBucket(given.qps, given.burst)
    return { accepted: when.map(({ at }: Json) => bucket.tryTake(msOf(at))) }
  },
  "eviction/limiter-rate": ({ given }) => limiterRate(given),
  "eviction/rate-limited-queue": ({ given, when }) => queueSteps(given, when),
  "lifecycle/zone-state": ({ given }) => {
    const statuses: ReadonlyArray<string | null> = given.readyStatuses
    const ready = statuses.filter(countsAsReady).length
    const counts = { ready, notReady: statuses.length - ready }
    return { notReady: counts.notReady, state: computeZoneState(counts, given.unhealthyZoneThreshold) }
  },
  "lifecycle/disruption": ({ given, when }) => ({ afterSteps: disruptionPasses(given.flags, when) })
}
