import { invalid } from "@rollcall/input"
import { type ReportFormat, renderEnd, renderOne } from "@rollcall/report"
import {
  type InvalidInput,
  loadScenarios,
  loadScenarioText,
  runToEnd,
  type ScenarioDocument,
  type ScenarioResult,
  simulate
} from "@rollcall/simulator"
import type { ExpectationResult } from "@rollcall/simulator/result"
import type { UserLayers } from "@rollcall/worlds"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { layerFiles } from "./layerFiles.ts"
import { isText } from "./plan/documents.ts"

/** How to rehearse a scenario; what is absent is the scenario's. */
export interface SimulateOptions {
  /** Fields to change first: `["spec.events[0].for=20m"]`. */
  readonly set?: ReadonlyArray<string>
  readonly seed?: number
  /** Another duration, such as `30m`. */
  readonly until?: string
  /** Another Kubernetes release, such as `1.33`. */
  readonly release?: string
  /** The texts of the manifests that a scenario names which is no file itself, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** Replaces ports, such as the scheduler's plugins: `@rollcall/worlds`. */
  readonly layers?: UserLayers
  /** Makes an object of every heartbeat, as a live cluster does: slower, with the same result. */
  readonly everyHeartbeat?: boolean
}

/** A rehearsed scenario. */
export interface Simulated {
  readonly result: ScenarioResult
  /** The expectations that did not hold. */
  readonly failed: ReadonlyArray<ExpectationResult>
  /** What happened and why, as `rollcall simulate -o FORMAT` prints it; `table` by default. */
  readonly report: (format?: ReportFormat) => string
}

/** Rehearses a scenario: see `simulate` of the index. */
export const simulateScenario: (
  scenario: string | ScenarioDocument,
  options?: SimulateOptions
) => Effect.Effect<Simulated, InvalidInput> = Effect.fnUntraced(function* (
  scenario: string | ScenarioDocument,
  { everyHeartbeat = false, files = {}, layers, ...given }: SimulateOptions = {}
) {
  const options = { ...given, hasLayers: layers !== undefined }
  const plans = yield* typeof scenario === "string" && !isText(scenario)
    ? loadScenarios([scenario], options).pipe(Effect.provide(layerFiles))
    : loadScenarioText(scenario, { ...options, files })
  const [plan, ...others] = plans
  if (plan === undefined || others.length > 0) {
    const file = plan?.file ?? "scenario.yaml"
    return yield* invalid(file, "", `holds ${plans.length} scenarios, expected one`)
  }
  const clock = yield* Clock.Clock
  const started = clock.monotonicTimeNanosUnsafe()
  const simulation = yield* simulate(plan, { everyHeartbeat, ...(layers === undefined ? {} : { layers }) })
  yield* runToEnd(simulation, Effect.void)
  const result = simulation.result(Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9)
  const simulated: Simulated = {
    result,
    failed: result.expectations.filter(({ held }) => !held),
    report: (format = "table") => `${renderOne(format, result, 0)}${renderEnd(format, [result])}`
  }
  return simulated
}, Effect.scoped)
