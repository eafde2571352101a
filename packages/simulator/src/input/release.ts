import { defaultRelease, isReleaseName, type Release, releaseNames, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import { didYouMean, type InvalidInput, invalid } from "./Problem.ts"

/** The emulated release of a scenario; the newest when it names none. */
export const releaseOfName = (file: string, name: string | undefined): Result.Result<Release, InvalidInput> => {
  if (name === undefined) return Result.succeed(defaultRelease)
  return isReleaseName(name)
    ? Result.succeed(releases[name])
    : Result.fail(
        invalid(
          file,
          "spec.release",
          `found "${name}", expected one of ${releaseNames.join(", ")}${didYouMean(name, releaseNames)}`
        )
      )
}
