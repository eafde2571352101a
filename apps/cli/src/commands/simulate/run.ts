import { getHeapStatistics } from "node:v8"
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
import { heapWarning } from "./heapWarning.ts"
import type { simulateTable } from "./table.ts"

interface LoadedLayers {
  readonly layers: UserLayers
  /** The digests of the files, which the result states. */
  readonly layerFiles: ReadonlyArray<LayerDigest>
}

/** Loads the layers of files. Of two layers for one service, that of the later file is used. */
const loadLayers = Effect.fnUntraced(function* (files: ReadonlyArray<LayersFile>) {
  const none: LoadedLayers = { layers: Layer.empty, layerFiles: [] }
  if (files.length === 0) return none
  const { digestOf, rehearsalLayers } = yield* Effect.promise(() => import("../../live.ts"))
  const loaded = yield* Effect.forEach(files, ({ file }) => rehearsalLayers(file))
  const layerFiles = yield* Effect.forEach(files, ({ file, name }) =>
    Effect.map(digestOf(file), (sha256): LayerDigest => ({ name, sha256 }))
  )
  const all: LoadedLayers = {
    layers: loaded.reduce<UserLayers>((merged, next) => Layer.merge(merged, next), Layer.empty),
    layerFiles
  }
  return all
})

/** Fails if a scenario names layer files and the user has not allowed them: they are code, which runs with the user's rights. */
const checkLayersAllowed = ({ file, layers }: Plan, isAllowed: boolean) =>
  layers.length === 0 || isAllowed
    ? Effect.void
    : Effect.fail(
        invalid(
          file,
          "spec.layers",
          `is code (${layers.map(({ name }) => name).join(", ")}): with --allow-layers it runs, as you`
        )
      )

const printWarnings = (quiet: boolean, warnings: ReadonlyArray<string>) =>
  quiet
    ? Effect.void
    : Effect.forEach(warnings, (warning) => Console.error(`rollcall: warning: ${warning}`), { discard: true })

interface RunOptions extends LoadedLayers {
  /** The number of earlier runs of this command. */
  readonly index: number
  readonly format: ReportFormat
  readonly quiet: boolean
  /** Whether the trace includes every heartbeat. */
  readonly traceLeases: boolean
  /** Whether every heartbeat is an object. */
  readonly everyHeartbeat: boolean
  /** Opens the output of the command, or returns the open one. Run it only when the API has accepted the initial objects of the plan. */
  readonly open: Effect.Effect<Output, InvalidInput>
}

/** Runs one plan, writes its result, and returns it. */
const runPlan = Effect.fnUntraced(function* (
  plan: Plan,
  { everyHeartbeat, format, index, layerFiles, layers, open, quiet, traceLeases }: RunOptions
) {
  const tooLarge = heapWarning(plan, getHeapStatistics().heap_size_limit)
  yield* printWarnings(quiet, tooLarge === undefined ? plan.warnings : [...plan.warnings, tooLarge])
  const progress = yield* makeProgress(plan, quiet)
  const clock = yield* Clock.Clock
  const started = clock.monotonicTimeNanosUnsafe()
  let lines: Array<string> = []
  const simulation = yield* simulate(plan, {
    traceLeases,
    everyHeartbeat,
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
  // In ndjson the result is the trace, which was written during the run.
  const text = format === "ndjson" ? "" : renderOne(format, result, index)
  if (text !== "") yield* output.write(text)
  // The result repeats the warnings of the plan, which were printed before the run.
  yield* printWarnings(quiet, result.warnings.slice(plan.warnings.length))
  return result
}, Effect.scoped)

/** Returns the object files that a scenario names. */
const filesOf = ({ eventObjects, objects, snapshot }: Plan): ReadonlyArray<string> => [
  ...new Set([...snapshot, ...objects, ...[...eventObjects.values()].flat()].map(({ file }) => file))
]

/** Runs `rollcall simulate`. Fails with ExpectationsFailed after all scenarios have run; a violated invariant is a defect. */
export const runSimulate = Effect.fnUntraced(function* ({
  operands: files,
  values
}: Parsed<FlagValues<typeof simulateTable.flags>>) {
  const { layers: layersFile, out, output: format, quiet, seed, set, trace, until } = values
  const flagFiles = layersFile === "" ? [] : [{ name: layersFile, file: layersFile }]
  const layersOfFlag = yield* loadLayers(flagFiles)
  const plans = yield* loadScenarios(files, {
    set,
    hasLayers: flagFiles.length > 0,
    seed,
    until
  })
  for (const plan of plans) yield* checkLayersAllowed(plan, values["allow-layers"])
  const context = yield* Effect.context<FileSystem.FileSystem | Stdio.Stdio | Scope.Scope>()
  const open = yield* Effect.cached(
    openOutput(out, [...files, ...plans.flatMap(filesOf)]).pipe(Effect.provideContext(context))
  )
  let failed = 0
  const results: Array<ScenarioResult> = []
  for (const [index, plan] of plans.entries()) {
    const layers = plan.layers.length === 0 ? layersOfFlag : yield* loadLayers([...plan.layers, ...flagFiles])
    const result = yield* runPlan(plan, {
      ...layers,
      format,
      index,
      quiet,
      traceLeases: trace !== undefined,
      everyHeartbeat: values["every-heartbeat"],
      open
    })
    if (format === "table" || format === "html" || format === "svg") results.push(result)
    failed += result.expectations.filter(({ held }) => !held).length
    if (result.bugs !== undefined) return yield* Effect.die(invariantsViolated(plan.name, result.bugs))
  }
  const end = renderEnd(format, results)
  if (end !== "") yield* (yield* open).write(end)
  if (failed > 0) return yield* new ExpectationsFailed({ failed })
}, Effect.scoped)
