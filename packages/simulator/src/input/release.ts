import { defaultRelease, isReleaseName, type Release, releaseNames, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import { didYouMean, type InvalidInput, invalid } from "./Problem.ts"
import type { SettingValues } from "./settings.ts"

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

/** Settings that the release has no use for: one warning each. */
export const ofAnotherRelease = (
  file: string,
  { name, podEviction }: Release,
  { controllerManager }: { readonly controllerManager: SettingValues }
): ReadonlyArray<string> =>
  podEviction === "taints" && controllerManager.podEvictionTimeoutMs !== undefined
    ? [
        `${file}: --pod-eviction-timeout has no effect in ${name}, where pods leave a lost node after their own tolerationSeconds`
      ]
    : []
