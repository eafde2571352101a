import { type FeatureGates, isFeatureGate, type Release, resolveFeatureGates } from "@rollcall/api"
import { type InvalidInput, invalid } from "@rollcall/simulator/input"
import * as Effect from "effect/Effect"
import { type Flag, parseSwitch } from "./Flag.ts"

type Given = Readonly<Record<string, boolean>>

const entriesOf = (text: string) =>
  text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=")
      const name = (at < 0 ? part : part.slice(0, at)).trim()
      return { name, text: at < 0 ? undefined : part.slice(at + 1).trim() }
    })

/** `--feature-gates`, in the words of upstream's errors. Upstream: staging/src/k8s.io/component-base/featuregate. */
export const gatesFlag: Flag<Given> = {
  initial: {},
  read: (text, previous) => {
    const read: Record<string, boolean> = { ...previous }
    for (const { name, text: value } of entriesOf(text)) {
      const on = value === undefined ? undefined : parseSwitch(value)
      if (on === undefined) return undefined
      read[name] = on
    }
    return read
  },
  refusal: (text) => {
    for (const { name, text: value } of entriesOf(text)) {
      if (value === undefined) return `missing bool value for ${name}`
      if (parseSwitch(value) === undefined) {
        return `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`
      }
    }
    return ""
  },
  expected: "gates such as SomeGate=true",
  help: "feature gates: names with true or false",
  placeholder: "mapStringBool"
}

/** The gates that a component of a release runs with. What nothing here asks for is named in a warning. */
export const gatesOf = (release: Release, given: Given): Effect.Effect<FeatureGates, InvalidInput> => {
  const isKnown = (name: string) => name === "AllAlpha" || name === "AllBeta" || isFeatureGate(name)
  const [known, others] = [true, false].map((wanted) =>
    Object.entries(given).filter(([name]) => isKnown(name) === wanted)
  )
  const warnings = Effect.forEach(
    others ?? [],
    ([gate]) => Effect.logWarning("The feature gate has no effect").pipe(Effect.annotateLogs({ gate })),
    { discard: true }
  )
  return Effect.andThen(
    warnings,
    Effect.mapError(Effect.fromResult(resolveFeatureGates(release, Object.fromEntries(known ?? []))), ({ message }) =>
      invalid("command line", "--feature-gates", message)
    )
  )
}
