import {
  alwaysLimiter,
  computeZoneState,
  type DisruptionFlags,
  decideDisruption,
  done,
  type Limiter,
  neverLimiter,
  type Outcome,
  RateLimitedQueue,
  rateOf,
  retryAfter,
  swapLimiter,
  TokenBucket,
  tokenBucketLimiter,
  type ZoneCounts,
  type ZoneHealth,
  type ZoneState
} from "@rollcall/eviction"
import type { Adapters, Json } from "../Adapter.ts"

const msOf = (seconds: number): number => seconds * 1000

const limiterOf = (given: { readonly kind: string; readonly qps: number }): Limiter =>
  given.kind === "tokenBucket" ? tokenBucketLimiter(given.qps) : given.kind === "never" ? neverLimiter : alwaysLimiter

const describeLimiter = ({ kind, qps }: Limiter): Json => (kind === "tokenBucket" ? { kind, qps } : { kind })

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
        const handed: Array<string> = []
        queue.try(now, (entry) => {
          handed.push(entry.value)
          return answer(entry.value)
        })
        return handed
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

const disruptionPasses = (flags: DisruptionFlags, when: Json): Json => {
  let states: ReadonlyMap<string, ZoneState> = new Map()
  const limiters = new Map<string, Limiter>()
  const metrics = new Map<string, ZoneHealth>()
  return when.map(({ at, zones }: Json) => {
    const counts = new Map<string, ZoneCounts>(Object.entries(zones))
    for (const zone of counts.keys()) {
      if (!states.has(zone)) limiters.set(zone, tokenBucketLimiter(flags.nodeEvictionRate))
    }
    const decision = decideDisruption(states, counts, flags)
    states = decision.states
    for (const [zone, qps] of decision.rates) {
      limiters.set(zone, swapLimiter(limiters.get(zone) as Limiter, qps, msOf(at)))
    }
    for (const [zone, health] of decision.health) metrics.set(zone, health)
    return {
      mode: decision.mode,
      zoneStates: objectOf(states),
      limiters: objectOf([...states.keys()].map((zone) => [zone, describeLimiter(limiters.get(zone) as Limiter)])),
      metrics: objectOf(
        [...metrics].map(([zone, { health, notReady, size }]) => [
          zone,
          { zone_size: size, zone_health: health, unhealthy_nodes_in_zone: notReady }
        ])
      )
    }
  })
}

export const evictionAdapters: Adapters = {
  "eviction/token-bucket": ({ given, when }) => {
    const bucket = new TokenBucket(given.qps, given.burst)
    return { accepted: when.map(({ at }: Json) => bucket.tryTake(msOf(at))) }
  },
  "eviction/limiter-rate": ({ given }) => {
    const qps = given.allZonesDown ? 0 : rateOf(given.state, given.zoneSize, given.flags)
    return qps === undefined ? { changed: false } : { changed: true, qps }
  },
  "eviction/rate-limited-queue": ({ given, when }) => queueSteps(given, when),
  "lifecycle/zone-state": ({ given }) => {
    const statuses: ReadonlyArray<string | null> = given.readyStatuses
    const ready = statuses.filter((status) => status === "True").length
    const counts = { ready, notReady: statuses.length - ready }
    return { notReady: counts.notReady, state: computeZoneState(counts, given.unhealthyZoneThreshold) }
  },
  "lifecycle/disruption": ({ given, when }) => ({ afterSteps: disruptionPasses(given.flags, when) })
}
