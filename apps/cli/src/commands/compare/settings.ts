import { compareSettings, rehearseValues } from "@rollcall/report"
import { invalid } from "@rollcall/simulator"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { commonFlags, rehearseOne, writeComparison } from "./shared.ts"

const MOST_SEEDS = 1000

const config = {
  files: Argument.String("FILE").pipe(
    Argument.withDescription("a scenario, and files of Kubernetes objects that belong to it"),
    Argument.atLeast(1)
  ),
  vary: Flag.String("vary").pipe(
    Flag.withDescription("the setting and its values: spec.path=value,value,…; a value is YAML, without a comma")
  ),
  seeds: Flag.Int("seeds").pipe(
    Flag.withDescription("rehearse each value with so many seeds, counted from the first, and tell the range"),
    Flag.withDefault(1)
  ),
  ...commonFlags
}

const variedOf = Effect.fnUntraced(function* (text: string) {
  const equals = text.indexOf("=")
  const values = text.slice(equals + 1).split(",")
  if (equals < 1 || values.some((value) => value.trim() === "")) {
    return yield* invalid("command line", "--vary", `found "${text}", expected spec.path=value,value,…`)
  }
  return { path: text.slice(0, equals), values: values.map((value) => value.trim()) }
})

export const settingsCommand = Command.make(
  "settings",
  config,
  Effect.fnUntraced(function* ({ files, out, output, seed, seeds, set, vary }) {
    const { path, values } = yield* variedOf(vary)
    if (seeds < 1 || seeds > MOST_SEEDS) {
      return yield* invalid("command line", "--seeds", `found ${seeds}, expected 1 to ${MOST_SEEDS}`)
    }
    const told = new Set<string>()
    const rehearsed = (value: string, seedOf: number | undefined) =>
      rehearseOne(files, [...set, `${path}=${value}`], seedOf, "settings", told)
    const compared = yield* rehearseValues(values, { seed: Option.getOrUndefined(seed), seeds }, rehearsed)
    yield* writeComparison(compareSettings(path, compared), output, out, files)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Rehearse one outage with each of several values of a setting, and put what they come to side by side."
  )
)
