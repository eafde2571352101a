import { defaultRelease, isReleaseName, type Release, releaseNames, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import { type InvalidInput, invalid } from "./Problem.ts"
import { wrongChoice } from "./wrong.ts"

/**
 * Returns the release of that name, or the newest if `name` is undefined; `path` is the field or flag with the name.
 */
export const releaseOfName = (
  file: string,
  name: string | undefined,
  path = "spec.release"
): Result.Result<Release, InvalidInput> => {
  if (name === undefined) return Result.succeed(defaultRelease)
  if (isReleaseName(name)) return Result.succeed(releases[name])
  return Result.fail(invalid(file, path, wrongChoice(name, releaseNames)))
}
