import type { FlagValues, Parsed } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import { type ReportFormat, renderEnd, renderOne } from "@rollcall/report"
import {
  type LayerDigest,
  type LayersFile,
  loadScenarios,
  type Plan,
  runToEnd,
  type ScenarioResult,
  simulate
} from "@rollcall/simulator"
import type { UserLayers } from "@rollcall/worlds"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stdio from "effect/Stdio"
import { ExpectationsFailed } from "../../ExpectationsFailed.ts"
import { invariantsViolated } from "../../InvariantsViolated.ts"
import { type Output, openOutput } from "../../output.ts"
import { makeProgress } from "../../progress.ts"
import type { simulateTable } from "./table.ts"

interface Layers {
  readonly layers: UserLayers
  readonly layerFiles: ReadonlyArray<LayerDigest>
}

/** The layers of files, of which the last counts most. */
const layersOf = Effect.fnUntraced(function* (files: ReadonlyArray<LayersFile>) {
  const none: Layers = { layers: Layer.empty, layerFiles: [] }
  if (files.length === 0) return none
  const { digestOf, rehearsalLayers } = yield* Effect.promise(() => import("../../live.ts"))
  const loaded = yield* Effect.forEach(files, ({ file }) => rehearsalLayers(file))
  const layerFiles = yield* Effect.forEach(files, ({ file, name }) =>
    Effect.map(digestOf(file), (sha256): LayerDigest => ({ name, sha256 }))
  )
  const all: Layers = {
    layers: loaded.reduce<UserLayers>((merged, next) => Layer.merge(merged, next), Layer.empty),
    layerFiles
  }
  return all
})

/** What a scenario names is code: it runs where a person says so. */
const checkAllowed = ({ file, layers }: Plan, isAllowed: boolean) =>
  layers.length === 0 || isAllowed
    ? Effect.void
    : Effect.fail(
        invalid(
          file,
          "spec.layers",
          `is code (${layers.map(({ name }) => name).join(", ")}): with --allow-layers it runs, as you`
        )
      )

const warn = (quiet: boolean, warnings: ReadonlyArray<string>) =>
  quiet
    ? Effect.void
    : Effect.forEach(warnings, (warning) => Console.error(`rollcall: warning: ${warning}`), { discard: true })

interface RunOptions extends Layers {
  /** How many runs there were before. */
  readonly index: number
  readonly format: ReportFormat
  readonly quiet: boolean
  readonly leases: boolean
  /** Where the result goes; opened once the API has accepted what the scenario begins with. */
  readonly open: Effect.Effect<Output, InvalidInput>
}

const runPlan = Effect.fnUntraced(function* (
  plan: Plan,
  { format, index, layerFiles, layers, leases, open, quiet }: RunOptions
) {
  yield* warn(quiet, plan.warnings)
  const progress = yield* makeProgress(plan, quiet)
  const clock = yield* Clock.Clock
  const started = clock.monotonicTimeNanosUnsafe()
  let lines: Array<string> = []
  const simulation = yield* simulate(plan, {
    traceLeases: leases,
    layers,
    layerFiles,
    ...(format === "ndjson" ? { onEntry: (entry) => lines.push(`${JSON.stringify(entry)}\n`) } : {})
  })
  const output = yield* open
  yield* runToEnd(
    simulation,
    Effect.suspend(() => {
      const text = lines.join("")
      lines = []
      return Effect.andThen(text === "" ? Effect.void : output.write(text), progress.show(simulation))
    })
  )
  const wallSeconds = Number((clock.monotonicTimeNanosUnsafe() - started) / 1_000_000n) / 1000
  yield* progress.done
  const result = simulation.result(wallSeconds)
  // The trace has been written as it happened.
  const text = format === "ndjson" ? "" : renderOne(format, result, index)
  if (text !== "") yield* output.write(text)
  yield* warn(quiet, result.warnings.slice(plan.warnings.length))
  return result
}, Effect.scoped)

/** The files that a scenario names. */
const filesOf = ({ eventObjects, objects, snapshot }: Plan): ReadonlyArray<string> => [
  ...new Set([...snapshot, ...objects, ...[...eventObjects.values()].flat()].map(({ file }) => file))
]

/** `rollcall simulate`. */
export const runSimulate = Effect.fnUntraced(function* ({
  operands: files,
  values
}: Parsed<FlagValues<typeof simulateTable.flags>>) {
  const { layers: layersFile, out, output: format, quiet, seed, set, trace, until } = values
  const own = layersFile === "" ? [] : [{ name: layersFile, file: layersFile }]
  const ofFlag = yield* layersOf(own)
  const plans = yield* loadScenarios(files, {
    set,
    hasLayers: own.length > 0,
    seed,
    until
  })
  for (const plan of plans) yield* checkAllowed(plan, values["allow-layers"])
  const context = yield* Effect.context<FileSystem.FileSystem | Stdio.Stdio | Scope.Scope>()
  const open = yield* Effect.cached(
    openOutput(out, [...files, ...plans.flatMap(filesOf)]).pipe(Effect.provideContext(context))
  )
  let failed = 0
  const results: Array<ScenarioResult> = []
  for (const [index, plan] of plans.entries()) {
    const layers = plan.layers.length === 0 ? ofFlag : yield* layersOf([...plan.layers, ...own])
    const result = yield* runPlan(plan, { ...layers, format, index, quiet, leases: trace !== undefined, open })
    if (format === "table" || format === "html") results.push(result)
    failed += result.expectations.filter(({ held }) => !held).length
    if (result.bugs !== undefined) return yield* Effect.die(invariantsViolated(plan.name, result.bugs))
  }
  const end = renderEnd(format, results)
  if (end !== "") yield* (yield* open).write(end)
  if (failed > 0) return yield* new ExpectationsFailed({ failed })
}, Effect.scoped)
