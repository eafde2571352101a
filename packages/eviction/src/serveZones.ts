import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { EvictionZone, EvictionZones } from "./EvictionZones.ts"
import type { Outcome, RateLimitedQueue } from "./RateLimitedQueue.ts"
import type { TimedEntry } from "./TimedQueue.ts"

export interface ZoneServing {
  readonly clock: Clock.Clock
  readonly zones: EvictionZones
  /** The queue of a zone that is served. */
  readonly queueOf: (zone: EvictionZone) => RateLimitedQueue | undefined
  /** Acts on a member that was handed out; whatever becomes of it has cost the zone a token. */
  readonly act: (entry: TimedEntry, zone: EvictionZone) => Effect.Effect<Outcome>
}

/** A member that a zone's queue has handed out: its token is spent. */
interface HandedOut {
  readonly zoneIndex: number
  readonly queue: RateLimitedQueue
  readonly entry: TimedEntry
  readonly atMs: number
}

/** Waits in turns of a period until `look` answers true. */
export type Poll = (look: () => boolean, periodMs: number) => Effect.Effect<void>

/** On Effect's Clock: a wake-up of a fiber each time. */
export const pollOnClock: Poll = (look, periodMs) =>
  Effect.flatMap(Effect.sleep(periodMs), () => (look() ? Effect.void : pollOnClock(look, periodMs)))

/** Serves one queue of each zone, zone by zone, as fast as each zone's limiter lets it. */
export const serveZones = ({ act, clock, queueOf, zones }: ZoneServing) => {
  /** The next member that a queue hands out, from the zone of this index on. */
  const next = (all: ReadonlyArray<EvictionZone>, from: number): HandedOut | undefined => {
    for (let zoneIndex = from; zoneIndex < all.length; zoneIndex++) {
      const queue = queueOf(all[zoneIndex] as EvictionZone)
      if (queue === undefined || queue.size === 0) continue
      const atMs = clock.currentTimeMillisUnsafe()
      const entry = queue.next(atMs)
      if (entry !== undefined) return { zoneIndex, queue, entry, atMs }
    }
    return undefined
  }

  const serve = ({ atMs, entry, queue }: HandedOut, zone: EvictionZone) =>
    Effect.suspend(() => act(entry, zone)).pipe(
      Effect.map((outcome) => queue.settle(entry, outcome, atMs)),
      zone.lock.withPermit
    )

  const from = Effect.fnUntraced(function* (all: ReadonlyArray<EvictionZone>, first: HandedOut) {
    for (let work: HandedOut | undefined = first; work !== undefined; work = next(all, work.zoneIndex)) {
      yield* serve(work, all[work.zoneIndex] as EvictionZone)
    }
  })

  const look = () => {
    const all = zones.all()
    const work = next(all, 0)
    return work === undefined ? undefined : { all, work }
  }
  const serveFrom = (found: ReturnType<typeof look>) =>
    found === undefined ? Effect.void : from(found.all, found.work)

  return {
    /** Goes through the queues once. */
    sweep: Effect.suspend(() => serveFrom(look())),
    /** Waits until something is handed out, a period from now at the earliest, and goes through the queues from there. */
    turn: (poll: Poll, periodMs: number) =>
      Effect.suspend(() => {
        let found: ReturnType<typeof look>
        const isFound = () => {
          found = look()
          return found !== undefined
        }
        return Effect.andThen(
          poll(isFound, periodMs),
          Effect.suspend(() => serveFrom(found))
        )
      })
  }
}
