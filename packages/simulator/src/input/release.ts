import { releases } from "@rollcall/api"
import * as Result from "effect/Result"
import { didYouMean, type InvalidInput, invalid } from "./Problem.ts"

/** The emulated release of a scenario; the newest when it names none. */
export const releaseOfName = (file: string, name: string | undefined): Result.Result<string, InvalidInput> => {
  const known = Object.keys(releases)
  if (name === undefined) return Result.succeed(known.at(-1) ?? "")
  return known.includes(name)
    ? Result.succeed(name)
    : Result.fail(
        invalid(file, "spec.release", `found "${name}", expected one of ${known.join(", ")}${didYouMean(name, known)}`)
      )
}
