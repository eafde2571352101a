import type { KindName, ObjectOf } from "@rollcall/api"
import { type InvalidInput, invalid } from "@rollcall/input"
import { loadDevices } from "@rollcall/scheduler"
import { VirtualClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Plan } from "./input/Plan.ts"
import { usesDevices } from "./input/usesKinds.ts"
import * as Rehearsal from "./Rehearsal.ts"
import { resultVersion, type ScenarioResult } from "./Result.ts"
import { Clients, RunWarnings, Zones } from "./rehearsal/controlPlane.ts"
import { Expectations, Invariants, Observer, RunTrace } from "./rehearsal/observers.ts"
import { Run } from "./rehearsal/Run.ts"
import { resultContext } from "./rehearsal/resultContext.ts"
import { Admin } from "./rehearsal/Server.ts"
import { summarise } from "./summary.ts"

/** The virtual time that passes between two calls of `shouldContinue`. */
const STEP_MS = 1_000

export type SimulateOptions = Rehearsal.RehearsalOptions

/** A running rehearsal. Its time advances only inside `runWhile`, synchronously. */
export interface Simulation {
  readonly elapsedMs: () => number
  /** The number of timers and callbacks that have run. */
  readonly steps: () => number
  readonly isOver: () => boolean
  /** Lists the objects of a kind from the API. */
  readonly list: <K extends KindName>(kind: K) => Effect.Effect<ReadonlyArray<ObjectOf<K>>>
  /** Runs until the end, or until `shouldContinue` returns false. It is called once in a virtual second. */
  readonly runWhile: (shouldContinue: () => boolean) => void
  /** Returns the result so far; `wallSeconds` is copied into its summary. */
  readonly result: (wallSeconds: number) => ScenarioResult
}

type Services = Context.Context<Rehearsal.RehearsalServices>

/** `initialNodes` is the number of nodes in the snapshot, which are registered from the start. */
const resultOf = (services: Services, initialNodes: number, wallSeconds: number): ScenarioResult => {
  const {
    elapsedMs,
    options: { layerFiles = [] },
    plan
  } = Context.get(services, Run)
  const observer = Context.get(services, Observer)
  const { events, readiness, workloads, zoneOf } = observer
  const trace = Context.get(services, RunTrace)
  const bugs = Context.get(services, Invariants).violations()
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
    expectations: Context.get(services, Expectations).map((probe, index) => ({
      name: plan.expectations[index]?.spec.name ?? "",
      ...probe.finish(endMs)
    })),
    summary: {
      ...summarise(trace.entries(), workloads, readiness, initialNodes, zoneOf, endMs),
      clients: Context.get(services, Clients).summaries(),
      events: Context.get(services, VirtualClock).steps(),
      wallSeconds,
      traceDigest: trace.digest()
    },
    warnings: [...plan.warnings, ...Context.get(services, RunWarnings)],
    context: resultContext(plan, observer, workloads.all(), trace.entries()),
    trace: trace.entries(),
    events: events(),
    metrics: Context.get(services, Zones).metrics(),
    ...(bugs.length === 0 ? {} : { bugs })
  }
}

/**
 * Builds the rehearsal of a plan at its time 0. Fails if the API refuses an object of the plan, or if the plan names layer files and
 * `options.layers` is absent.
 */
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
  // Virtual time does not wait for what loads when it is first used.
  if (usesDevices(given)) yield* loadDevices
  const initialNodes = given.snapshot.filter(({ kind }) => kind === "Node").length
  const services = yield* Layer.build(Rehearsal.layer(given, options))
  const time = Context.get(services, VirtualClock)
  const invariants = Context.get(services, Invariants)
  // `given` holds the objects of the plan; the plan of Run does not, so that they can be collected after the start.
  const { elapsedMs, plan } = Context.get(services, Run)
  const admin = Context.get(services, Admin)
  return {
    elapsedMs,
    steps: time.steps,
    isOver: () => elapsedMs() >= plan.durationMs,
    list: (kind) =>
      Effect.suspend(() => time.run(admin.list(kind))).pipe(
        Effect.map(({ items }) => items),
        Effect.orDie
      ),
    runWhile: (shouldContinue) => {
      while (elapsedMs() < plan.durationMs && shouldContinue()) {
        time.runUntil(plan.startMs + Math.min(plan.durationMs, elapsedMs() + STEP_MS))
        invariants.tick()
      }
    },
    result: (wallSeconds) => resultOf(services, initialNodes, wallSeconds)
  }
})
