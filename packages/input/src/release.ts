import { defaultRelease, isReleaseName, type Release, releaseNames, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import { didYouMean, type InvalidInput, invalid } from "./Problem.ts"

/** The emulated release of a scenario; the newest when it names none. */
export const releaseOfName = (
  file: string,
  name: string | undefined,
  path = "spec.release"
): Result.Result<Release, InvalidInput> => {
  if (name === undefined) return Result.succeed(defaultRelease)
  if (isReleaseName(name)) return Result.succeed(releases[name])
  const message = `found "${name}", expected one of ${releaseNames.join(", ")}${didYouMean(name, releaseNames)}`
  return Result.fail(invalid(file, path, message))
}
