import type { FeatureGates, Release } from "@rollcall/api"
import { type Flag, readBool } from "@rollcall/flags"
import { type InvalidInput, invalid } from "@rollcall/input"
import { gateSettings } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

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

/** The flag `--feature-gates`, with upstream's errors. Upstream: staging/src/k8s.io/component-base/featuregate. */
export const gatesFlag: Flag<Given> = {
  initial: {},
  read: (text, previous) => {
    const read: Record<string, boolean> = { ...previous }
    for (const { name, text: value } of entriesOf(text)) {
      if (value === undefined) return Result.fail(`missing bool value for ${name}`)
      const on = readBool(value)
      if (Result.isFailure(on)) return Result.fail(`invalid value of ${name}=${value}, err: ${on.failure}`)
      read[name] = on.success
    }
    return Result.succeed(read)
  },
  format: (gates) => [
    Object.entries(gates)
      .map(([name, on]) => `${name}=${on}`)
      .join(",")
  ],
  help: "feature gates: name=true or name=false, separated by commas",
  placeholder: "mapStringBool"
}

/** Returns the feature gates of a component of a release, and logs a warning for each gate without effect. */
export const gatesOf = (release: Release, given: Given): Effect.Effect<FeatureGates, InvalidInput> =>
  Effect.gen(function* () {
    const settings = gateSettings(release, given)
    if (Result.isFailure(settings)) return yield* invalid("command line", "--feature-gates", settings.failure)
    for (const gate of settings.success.ineffective) {
      yield* Effect.logWarning("The feature gate has no effect").pipe(Effect.annotateLogs({ gate }))
    }
    return settings.success.gates
  })
