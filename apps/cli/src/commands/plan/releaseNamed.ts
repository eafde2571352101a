import { isReleaseName, releaseNames, releases } from "@rollcall/api"
import { didYouMean, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

/** The release that `--release` names. */
export const releaseNamed = Effect.fnUntraced(function* (name: string) {
  if (isReleaseName(name)) return releases[name]
  const near = didYouMean(name, releaseNames)
  return yield* invalid(
    "command line",
    "--release",
    `found "${name}", expected one of ${releaseNames.join(", ")}${near}`
  )
})
