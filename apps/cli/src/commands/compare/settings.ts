import type { FlagValues, Parsed } from "@rollcall/flags"
import { compareSettings, rehearseValues } from "@rollcall/report"
import { invalid } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { rehearseOne, writeComparison } from "./shared.ts"
import type { compareSettingsTable } from "./tables.ts"

const variedOf = Effect.fnUntraced(function* (text: string) {
  const equals = text.indexOf("=")
  const values = text.slice(equals + 1).split(",")
  if (equals < 1 || values.some((value) => value.trim() === "")) {
    return yield* invalid("command line", "--vary", `found "${text}", expected spec.path=value,value,…`)
  }
  return { path: text.slice(0, equals), values: values.map((value) => value.trim()) }
})

/** `rollcall compare settings`. */
export const runSettings = Effect.fnUntraced(function* ({
  operands: files,
  values: { out, output, seed, seeds, set, vary }
}: Parsed<FlagValues<typeof compareSettingsTable.flags>>) {
  const { path, values } = yield* variedOf(vary)
  const told = new Set<string>()
  const rehearsed = (value: string, seedOf: number | undefined) =>
    rehearseOne(files, [...set, `${path}=${value}`], seedOf, "settings", told)
  const compared = yield* rehearseValues(values, { seed: seed, seeds }, rehearsed)
  yield* writeComparison(compareSettings(path, compared), output, out, files)
}, Effect.scoped)
