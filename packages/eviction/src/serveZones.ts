import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { EvictionZone, EvictionZones } from "./EvictionZones.ts"
import type { Outcome, RateLimitedQueue } from "./RateLimitedQueue.ts"
import type { TimedEntry } from "./TimedQueue.ts"
import { withLock } from "./withLock.ts"

/** Which queues a loop serves, and how. */
export interface ZoneServing {
  readonly clock: Clock.Clock
  readonly zones: EvictionZones
  /** The queue of a zone that this loop serves. */
  readonly queueOf: (zone: EvictionZone) => RateLimitedQueue | undefined
  /** Acts on a member taken from the queue. Its token is used up whatever the outcome. */
  readonly act: (entry: TimedEntry, zone: EvictionZone) => Effect.Effect<Outcome>
}

/** A member taken from a zone's queue, at `atMs`; its token is used up. */
interface TakenMember {
  readonly zoneIndex: number
  readonly queue: RateLimitedQueue
  readonly entry: TimedEntry
  readonly atMs: number
}

/** Calls `hasWork` once a period until it returns true. */
export type Poll = (hasWork: () => boolean, periodMs: number) => Effect.Effect<void>

/** Polls on Effect's Clock: a fiber wakes up each period. */
export const pollOnClock: Poll = (hasWork, periodMs) =>
  Effect.flatMap(Effect.sleep(periodMs), () => (hasWork() ? Effect.void : pollOnClock(hasWork, periodMs)))

/** Serves one queue of each zone, zone by zone, as fast as each zone's limiter allows. */
export const serveZones = ({ act, clock, queueOf, zones }: ZoneServing) => {
  /** Takes the next member, from the zone at index `from` on; undefined if there is none whose time has come. */
  const next = (all: ReadonlyArray<EvictionZone>, from: number): TakenMember | undefined => {
    for (let zoneIndex = from; zoneIndex < all.length; zoneIndex++) {
      const queue = queueOf(all[zoneIndex] as EvictionZone)
      if (queue === undefined || queue.size === 0) continue
      const atMs = clock.currentTimeMillisUnsafe()
      const entry = queue.next(atMs)
      if (entry !== undefined) return { zoneIndex, queue, entry, atMs }
    }
    return undefined
  }

  const serve = ({ atMs, entry, queue }: TakenMember, zone: EvictionZone) =>
    withLock(
      zone,
      Effect.suspend(() => act(entry, zone)).pipe(Effect.map((outcome) => queue.settle(entry, outcome, atMs)))
    )

  const serveAll = Effect.fnUntraced(function* (all: ReadonlyArray<EvictionZone>, first: TakenMember) {
    for (let work: TakenMember | undefined = first; work !== undefined; work = next(all, work.zoneIndex)) {
      yield* serve(work, all[work.zoneIndex] as EvictionZone)
    }
  })

  const findWork = () => {
    const all = zones.all()
    const work = next(all, 0)
    return work === undefined ? undefined : { all, work }
  }
  const serveFrom = (found: ReturnType<typeof findWork>) =>
    found === undefined ? Effect.void : serveAll(found.all, found.work)

  return {
    /** Runs one pass over the queues. */
    sweep: Effect.suspend(() => serveFrom(findWork())),
    /** Polls until a member can be taken, for the first time after one period, then runs a pass from that member on. */
    pollAndServe: (poll: Poll, periodMs: number) =>
      Effect.suspend(() => {
        let found: ReturnType<typeof findWork>
        const isFound = () => {
          found = findWork()
          return found !== undefined
        }
        return Effect.andThen(
          poll(isFound, periodMs),
          Effect.suspend(() => serveFrom(found))
        )
      })
  }
}
