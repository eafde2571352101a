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
  const known = releaseNames.filter((candidate) => releases[candidate].podEviction === "taints")
  if (!isReleaseName(name)) {
    const message = `found "${name}", expected one of ${known.join(", ")}${didYouMean(name, known)}`
    return Result.fail(invalid(file, path, message))
  }
  // Its node controller deletes pods by itself, which is not modelled; with taints it would be another release under its name.
  return known.includes(name)
    ? Result.succeed(releases[name])
    : Result.fail(invalid(file, path, `${name} cannot be rehearsed yet, expected one of ${known.join(", ")}`))
}
