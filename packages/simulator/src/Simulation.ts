import type { KindName, ObjectOf } from "@rollcall/api"
import { type InvalidInput, invalid } from "@rollcall/input"
import { VirtualClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Plan } from "./input/Plan.ts"
import * as Rehearsal from "./Rehearsal.ts"
import { resultVersion, type ScenarioResult } from "./Result.ts"
import { Clients, Refusals, Zones } from "./rehearsal/controlPlane.ts"
import { Expectations, Invariants, Observer, RunTrace } from "./rehearsal/observers.ts"
import { Run, START_MS } from "./rehearsal/Run.ts"
import { resultContext } from "./rehearsal/resultContext.ts"
import { Admin } from "./rehearsal/Server.ts"
import { summarise } from "./summary.ts"

/** The virtual time that passes between two calls of `goOn`. */
const STRIDE_MS = 1_000

export type SimulateOptions = Rehearsal.RehearsalOptions

/** A running rehearsal. Its time advances only inside `runWhile`, synchronously. */
export interface Simulation {
  readonly elapsedMs: () => number
  /** The number of timers and callbacks that have run. */
  readonly steps: () => number
  readonly isOver: () => boolean
  /** Lists the objects of a kind from the API. */
  readonly list: <K extends KindName>(kind: K) => Effect.Effect<ReadonlyArray<ObjectOf<K>>>
  /** Runs until the end, or until `goOn` returns false. */
  readonly runWhile: (goOn: () => boolean) => void
  /** Returns the result so far; `wallSeconds` is copied into its summary. */
  readonly result: (wallSeconds: number) => ScenarioResult
}

type World = Context.Context<Rehearsal.RehearsalServices>

const resultOf = (world: World, known: number, wallSeconds: number): ScenarioResult => {
  const {
    elapsedMs,
    options: { layerFiles = [] },
    plan
  } = Context.get(world, Run)
  const observer = Context.get(world, Observer)
  const { events, readiness, workloads, zoneOf } = observer
  const trace = Context.get(world, RunTrace)
  const broken = Context.get(world, Invariants).broken()
  const endMs = elapsedMs()
  return {
    apiVersion: resultVersion,
    kind: "ScenarioResult",
    metadata: { name: plan.name },
    spec: {
      release: plan.release.name,
      seed: plan.seed,
      durationSeconds: plan.durationMs / 1000,
      ...(layerFiles.length === 0 ? {} : { layers: layerFiles })
    },
    expectations: Context.get(world, Expectations).map((probe, index) => ({
      name: plan.expectations[index]?.spec.name ?? "",
      ...probe.finish(endMs)
    })),
    summary: {
      ...summarise(trace.entries(), workloads, readiness, known, zoneOf, endMs),
      clients: Context.get(world, Clients).summaries(),
      events: Context.get(world, VirtualClock).steps(),
      wallSeconds,
      traceDigest: trace.digest()
    },
    warnings: [...plan.warnings, ...Context.get(world, Refusals)],
    context: resultContext(plan, observer, workloads.all(), trace.entries()),
    trace: trace.entries(),
    events: events(),
    metrics: Context.get(world, Zones).metrics(),
    ...(broken.length === 0 ? {} : { bugs: broken })
  }
}

/** Builds the rehearsal of a plan at its time 0. Fails if the API refuses an object of the plan. */
export const simulate = Effect.fnUntraced(function* (
  given: Plan,
  options: SimulateOptions = {}
): Effect.fn.Return<Simulation, InvalidInput, Scope.Scope> {
  if (given.layers.length > 0 && options.layers === undefined) {
    const names = given.layers.map(({ name }) => name).join(", ")
    return yield* invalid(
      given.file,
      "spec.layers",
      `names code (${names}) that was not loaded: rollcall simulate --allow-layers loads it`
    )
  }
  const known = given.snapshot.filter(({ kind }) => kind === "Node").length
  const world = yield* Layer.build(Rehearsal.layer(given, options))
  const time = Context.get(world, VirtualClock)
  const invariants = Context.get(world, Invariants)
  const { elapsedMs, plan } = Context.get(world, Run)
  const admin = Context.get(world, Admin)
  return {
    elapsedMs,
    steps: time.steps,
    isOver: () => elapsedMs() >= plan.durationMs,
    list: (kind) =>
      Effect.suspend(() => time.run(admin.list(kind))).pipe(
        Effect.map(({ items }) => items),
        Effect.orDie
      ),
    runWhile: (goOn) => {
      while (elapsedMs() < plan.durationMs && goOn()) {
        time.runUntil(START_MS + Math.min(plan.durationMs, elapsedMs() + STRIDE_MS))
        invariants.tick()
      }
    },
    result: (wallSeconds) => resultOf(world, known, wallSeconds)
  }
})
