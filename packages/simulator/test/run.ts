import * as Effect from "effect/Effect"
import { type LoadTextOptions, loadScenarioText, type Plan, rehearse, type ScenarioResult } from "../src/index.ts"
import type { SimulateOptions } from "../src/Simulation.ts"
import type { TraceEntryOf, TraceType } from "../src/trace/TraceEntry.ts"

/** A scenario of this spec; written in JSON, so that a spec may be a value. */
export const scenario = (spec: Readonly<Record<string, unknown>>, name = "x"): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Scenario", metadata: { name }, spec })

export const planOf = (spec: Readonly<Record<string, unknown>>, options?: LoadTextOptions): Plan => {
  const [plan] = Effect.runSync(loadScenarioText(scenario(spec), options))
  if (plan === undefined) throw new Error("no plan")
  return plan
}

/** Rehearses a scenario of this spec to its end. */
export const run = (
  spec: Readonly<Record<string, unknown>>,
  options: LoadTextOptions & SimulateOptions = {}
): ScenarioResult =>
  Effect.runSync(rehearse(planOf(spec, { hasLayers: options.layers !== undefined, ...options }), options))

/** The entries of one type. */
export const entriesOf = <Type extends TraceType>(
  { trace }: Pick<ScenarioResult, "trace">,
  type: Type
): ReadonlyArray<TraceEntryOf<Type>> => trace.filter((entry): entry is TraceEntryOf<Type> => entry.type === type)

/** A pod without an owner, on this node. */
export const podWithoutOwner = (name: string, node: string, spec: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { nodeName: node, containers: [{ name: "c", image: "x" }], ...spec }
})
