import type { Timers } from "@rollcall/time"
import { VirtualClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as References from "effect/References"
import type { Plan } from "../input/Plan.ts"
import type { TraceEntry } from "../trace/TraceEntry.ts"

export interface RunOptions {
  /** Called with each trace entry as it is added. */
  readonly onEntry?: (entry: TraceEntry) => void
  /** Adds every Lease renewal to the trace. */
  readonly traceLeases?: boolean
  /**
   * Makes an object of every heartbeat. By default the heartbeats of healthy nodes are kept as columns of numbers while no one reads
   * their objects; the result is the same, except for `summary.events`.
   */
  readonly everyHeartbeat?: boolean
  /** The files of `layers`, copied into the result: traces are comparable only between runs with equal files. */
  readonly layerFiles?: ReadonlyArray<LayerDigest>
}

/** The name and the digest of a layer file. */
export interface LayerDigest {
  readonly name: string
  readonly sha256: string
}

/** The plan without its objects: those of a snapshot can be as large as the running cluster, and are released after the start. */
export type RunPlan = Omit<Plan, "objects" | "snapshot">

export interface RunShape {
  readonly plan: RunPlan
  readonly options: RunOptions
  /** Returns the whole plan; throws after `release`. */
  readonly given: () => Plan
  /** Drops the reference to the plan's objects, so that they can be collected. */
  readonly release: () => void
  /** Virtual milliseconds since time 0. */
  readonly elapsedMs: () => number
  /**
   * Forks an effect of the modelled cluster, whose log is discarded. Its Random is the stream of this purpose, seeded from the plan:
   * a later fork of the same purpose continues the stream, so that no two forks draw the same numbers.
   */
  readonly fork: (purpose: string, effect: Effect.Effect<void, never, Timers>) => void
}

/** Runs an effect of the modelled cluster without its logs: the trace records what happens. */
const withoutLogs = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, References.MinimumLogLevel, "None")

/** Makes the function that runs an effect with the Random of a purpose. The Random is made when it is first used, and kept. */
const makeRandomStreams = (seed: number) => {
  const streams = new Map<string, Effect.Success<typeof Random.Random>>()
  return <A, E, R>(purpose: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const known = streams.get(purpose)
      if (known !== undefined) return Effect.provideService(effect, Random.Random, known)
      const first = Effect.flatMap(Random.Random, (stream) => {
        streams.set(purpose, stream)
        return effect
      })
      return Random.withSeed(first, `${seed} ${purpose}`)
    })
}

/** The plan, the options and the virtual time of one rehearsal. */
export class Run extends Context.Service<Run, RunShape>()("@rollcall/simulator/Run") {
  static readonly layer = (plan: Plan, options: RunOptions): Layer.Layer<Run, never, VirtualClock> => {
    let given: Plan | undefined = plan
    const { objects: _, snapshot: __, ...kept } = plan
    return Layer.effect(
      Run,
      Effect.map(VirtualClock, (time): RunShape => {
        const withStream = makeRandomStreams(kept.seed)
        return {
          plan: kept,
          options,
          given: () => {
            if (given === undefined) throw new Error("the objects of the plan were released")
            return given
          },
          release: () => {
            given = undefined
          },
          elapsedMs: () => time.timers.now() - kept.startMs,
          fork: (purpose, effect) => void time.fork(withStream(purpose, withoutLogs(effect)))
        }
      })
    )
  }
}

/**
 * Builds a layer of the modelled cluster with a Random of its own, seeded from the plan's seed and the purpose. Without a purpose it is
 * seeded from the plan's seed alone, as for the API server and the control plane, which derive their own generators from it.
 */
export const seeded = <A, E, R>(layer: Layer.Layer<A, E, R>, purpose?: string): Layer.Layer<A, E, R | Run> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { seed } = (yield* Run).plan
      const built = withoutLogs(Layer.buildWithScope(layer, yield* Effect.scope))
      return yield* Random.withSeed(built, purpose === undefined ? seed : `${seed} ${purpose}`)
    })
  )
