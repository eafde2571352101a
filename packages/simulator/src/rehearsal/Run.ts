import type { Timers } from "@rollcall/time"
import { VirtualClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as References from "effect/References"
import type { Plan } from "../input/Plan.ts"
import type { TraceEntry } from "../trace/TraceEntry.ts"

/** When virtual time begins: any instant would do, but every run has the same. */
export const START_MS = 1_767_225_600_000

export interface RunOptions {
  /** Told of each trace entry as it happens. */
  readonly onEntry?: (entry: TraceEntry) => void
  /** Put every heartbeat in the trace. */
  readonly traceLeases?: boolean
  /** Files that `layers` come from, for the result to tell: traces are compared where these are equal. */
  readonly layerFiles?: ReadonlyArray<LayerDigest>
}

/** A file of layers, as it was when it ran. */
export interface LayerDigest {
  readonly name: string
  readonly sha256: string
}

/** What stays of a plan with a rehearsal: the objects of a snapshot can be as large as the world itself. */
export type RunPlan = Omit<Plan, "objects" | "snapshot">

export interface RunShape {
  readonly plan: RunPlan
  readonly options: RunOptions
  /** The whole plan, until `release`. */
  readonly given: () => Plan
  /** Lets go of the objects that the world began with. */
  readonly release: () => void
  /** Virtual milliseconds since time 0. */
  readonly elapsedMs: () => number
  /** Starts an effect of the modelled world: its chance follows from the seed, its log is not written. */
  readonly fork: (effect: Effect.Effect<void, never, Timers>) => void
}

/** What programs of the modelled world have in common. What they would log is not written: the trace tells. */
const modelled =
  (seed: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Random.withSeed(Effect.provideService(effect, References.MinimumLogLevel, "None"), seed)

/** One rehearsal of a plan. */
export class Run extends Context.Service<Run, RunShape>()("@rollcall/simulator/Run") {
  static readonly layer = (plan: Plan, options: RunOptions): Layer.Layer<Run, never, VirtualClock> => {
    let given: Plan | undefined = plan
    const { objects: _, snapshot: __, ...kept } = plan
    return Layer.effect(
      Run,
      Effect.map(
        VirtualClock,
        (time): RunShape => ({
          plan: kept,
          options,
          given: () => {
            if (given === undefined) throw new Error("the objects of the plan were let go")
            return given
          },
          release: () => {
            given = undefined
          },
          elapsedMs: () => time.timers.now() - START_MS,
          fork: (effect) => void time.fork(modelled(kept.seed)(effect))
        })
      )
    )
  }
}

/** Builds a layer of the modelled world, with chance of its own: the sequence of the run's seed from its beginning. */
export const seeded = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R | Run> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { plan } = yield* Run
      return yield* modelled(plan.seed)(Layer.buildWithScope(layer, yield* Effect.scope))
    })
  )
