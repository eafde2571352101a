import { Retries } from "@rollcall/cluster"
import { type Outcome, type RateLimitedQueue, retryAfter, type TimedEntry } from "@rollcall/eviction"
import { recovering, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { Zone, Zones } from "./Zones.ts"

export interface QueueLoopOptions {
  readonly timers: TimersShape
  readonly zones: Zones
  /** The queue of a zone that is served. */
  readonly queueOf: (zone: Zone) => RateLimitedQueue | undefined
  /** Acts on a node that was handed out; whatever comes of it has cost the zone a token. */
  readonly act: (entry: TimedEntry, zone: Zone) => Effect.Effect<Outcome>
}

/** A node that a zone's queue has handed out: its token is spent. */
interface HandedOut {
  readonly zoneIndex: number
  readonly queue: RateLimitedQueue
  readonly entry: TimedEntry
  readonly atMs: number
}

export interface QueueLoop {
  /** Goes through all queues once. */
  readonly run: Effect.Effect<void>
  /**
   * Goes through all queues each `periodMs` after the end of the previous time, for ever. While nothing is handed out a turn
   * is a few comparisons on a timer.
   */
  readonly loop: (periodMs: number) => Effect.Effect<never>
}

/** Serves one queue of each zone, zone by zone, as fast as each zone's limiter lets it. */
export const makeQueueLoop = ({ act, queueOf, timers, zones }: QueueLoopOptions): QueueLoop => {
  /** The next node that a queue hands out, from the zone of this index on. */
  const next = (all: ReadonlyArray<Zone>, from: number): HandedOut | undefined => {
    for (let zoneIndex = from; zoneIndex < all.length; zoneIndex++) {
      const queue = queueOf(all[zoneIndex] as Zone)
      if (queue === undefined || queue.size === 0) continue
      const atMs = timers.now()
      const entry = queue.next(atMs)
      if (entry !== undefined) return { zoneIndex, queue, entry, atMs }
    }
    return undefined
  }

  const retries = new Retries<string>()
  /** A node whose turn ends with an error keeps its place in the queue, as one that could not be seen to. */
  const serve = ({ atMs, entry, queue }: HandedOut, zone: Zone) =>
    recovering(
      Effect.map(
        Effect.suspend(() => act(entry, zone)),
        (outcome) => {
          retries.forget(entry.value)
          return outcome
        }
      ),
      (error) => {
        timers.handleError("zone queue", error, { node: entry.value })
        return Effect.succeed(retryAfter(retries.nextMs(entry.value, timers.now())))
      }
    ).pipe(
      Effect.map((outcome) => queue.settle(entry, outcome, atMs)),
      zone.lock.withPermit
    )

  const from = Effect.fnUntraced(function* (all: ReadonlyArray<Zone>, first: HandedOut | undefined) {
    for (let work = first; work !== undefined; work = next(all, work.zoneIndex)) {
      yield* serve(work, all[work.zoneIndex] as Zone)
    }
  })

  /** Waits in turns of the period until a queue hands something out. */
  const wait = (periodMs: number): Effect.Effect<readonly [ReadonlyArray<Zone>, HandedOut]> =>
    Effect.callback((resume) => {
      const turn = () => {
        try {
          const all = zones.all()
          const work = next(all, 0)
          if (work === undefined) timer = timers.after(periodMs, turn)
          else resume(Effect.succeed([all, work]))
        } catch (error) {
          // The loop hears of it: it waits for nothing else.
          resume(Effect.die(error))
        }
      }
      let timer = timers.after(periodMs, turn)
      return Effect.sync(() => timers.cancel(timer))
    })

  const run = Effect.suspend(() => {
    const all = zones.all()
    return from(all, next(all, 0))
  })
  return {
    run,
    loop: (periodMs) =>
      Effect.andThen(run, Effect.forever(Effect.flatMap(wait(periodMs), ([all, work]) => from(all, work))))
  }
}
