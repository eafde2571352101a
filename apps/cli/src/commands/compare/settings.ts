import type { FlagValues, Parsed } from "@rollcall/flags"
import { compareSettings, rehearseValues } from "@rollcall/report"
import * as Effect from "effect/Effect"
import { Rehearsals } from "../../rehearsals/Rehearsals.ts"
import { usageError } from "../../usageError.ts"
import { layerParallel, rehearseJob, writeComparison } from "./shared.ts"
import type { compareSettingsTable } from "./tables.ts"

/** Parses the value of --vary: `spec.path=value,value,…`. */
const parseVary = Effect.fnUntraced(function* (text: string) {
  const equals = text.indexOf("=")
  const values = text.slice(equals + 1).split(",")
  if (equals < 1 || values.some((value) => value.trim() === "")) {
    return yield* usageError(`found "${text}", expected spec.path=value,value,…`, "--vary")
  }
  return { path: text.slice(0, equals), values: values.map((value) => value.trim()) }
})

/** Runs `rollcall compare settings`. */
export const runSettings = Effect.fnUntraced(function* ({
  operands: files,
  values: { out, output, parallel, seed, seeds, set, vary }
}: Parsed<FlagValues<typeof compareSettingsTable.flags>>) {
  const { path, values } = yield* parseVary(vary)
  const printed = new Set<string>()
  const rehearseValue = (value: string, seedOfRun: number | undefined) =>
    rehearseJob({ files, set: [...set, `${path}=${value}`], seed: seedOfRun, compared: "settings" }, printed)
  const rehearseAll = Effect.flatMap(Rehearsals, ({ concurrency }) =>
    rehearseValues(values, { seed, seeds, concurrency }, rehearseValue)
  )
  const compared = yield* Effect.provide(rehearseAll, layerParallel(parallel, values.length * seeds))
  yield* writeComparison(compareSettings(path, compared), output, out, files)
}, Effect.scoped)
