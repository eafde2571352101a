import { getNodeCondition } from "@rollcall/api"
import { done, type Outcome, type RateLimitedQueue, retryAfter, type TimedEntry } from "@rollcall/eviction"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { ZoneMeters } from "./Metrics.ts"
import type { NodePatches } from "./NodePatches.ts"
import type { NodeRecords } from "./NodeRecords.ts"
import { taintsFor } from "./NoExecuteDecision.ts"
import { zoneKeyOf } from "./ZoneKey.ts"
import type { Zone, Zones } from "./Zones.ts"

const RETRY_MS = 50

export interface NoExecutePassOptions {
  readonly timers: TimersShape
  readonly records: NodeRecords
  readonly zones: Zones
  readonly patches: NodePatches
  readonly meters: ZoneMeters
}

/** A node that a zone's queue has handed out: its token is spent. */
interface HandedOut {
  readonly zoneIndex: number
  readonly queue: RateLimitedQueue
  readonly entry: TimedEntry
  readonly atMs: number
}

export interface NoExecutePass {
  /** Goes through all queues once. */
  readonly run: Effect.Effect<void>
  /**
   * Goes through all queues each `periodMs` after the end of the previous time, for ever. While nothing is handed out a turn
   * is a few comparisons on a timer.
   */
  readonly loop: (periodMs: number) => Effect.Effect<never>
}

/**
 * Gives the NoExecute taints that monitor passes asked for, zone by zone, as fast as each zone's limiter lets it.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass.
 */
export const makeNoExecutePass = ({ meters, patches, records, timers, zones }: NoExecutePassOptions): NoExecutePass => {
  /** The next node that a queue hands out, from the zone of this index on. */
  const next = (all: ReadonlyArray<Zone>, from: number): HandedOut | undefined => {
    for (let zoneIndex = from; zoneIndex < all.length; zoneIndex++) {
      const { queue } = all[zoneIndex] as Zone
      if (queue.size === 0) continue
      const atMs = timers.now()
      const entry = queue.next(atMs)
      if (entry !== undefined) return { zoneIndex, queue, entry, atMs }
    }
    return undefined
  }

  /** Taints the node by what its condition is now; whatever comes of it has cost the zone a token. */
  const taint = Effect.fnUntraced(function* (name: string): Effect.fn.Return<Outcome> {
    const node = records.find(name)?.node
    if (node === undefined) return done
    const condition = getNodeCondition(node, "Ready")
    if (condition === undefined) return retryAfter(RETRY_MS)
    const pair = taintsFor(condition.status)
    if (pair === undefined) return done
    if (!(yield* patches.swap(node, [pair.matching], [pair.opposite]))) return retryAfter(0)
    meters.evicted(zoneKeyOf(node.metadata.labels), 1)
    return done
  })

  const serve = ({ atMs, entry, queue }: HandedOut, zone: Zone) =>
    zone.lock.withPermit(Effect.map(taint(entry.value), (outcome) => queue.settle(entry, outcome, atMs)))

  const from = Effect.fnUntraced(function* (all: ReadonlyArray<Zone>, first: HandedOut | undefined) {
    for (let work = first; work !== undefined; work = next(all, work.zoneIndex)) {
      yield* serve(work, all[work.zoneIndex] as Zone)
    }
  })

  /** Waits in turns of the period until a queue hands something out. */
  const wait = (periodMs: number): Effect.Effect<readonly [ReadonlyArray<Zone>, HandedOut]> =>
    Effect.callback((resume) => {
      const turn = () => {
        const all = zones.all()
        const work = next(all, 0)
        if (work === undefined) timer = timers.after(periodMs, turn)
        else resume(Effect.succeed([all, work]))
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
