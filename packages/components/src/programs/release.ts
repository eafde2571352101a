import { defaultRelease, isReleaseName, type Release, releaseNames, releases } from "@rollcall/api"
import { type InvalidInput, invalid, releaseOfName } from "@rollcall/simulator/input"
import * as Result from "effect/Result"

/** The release that `--release` names. */
export const releaseOf = (name: string): Result.Result<Release, InvalidInput> =>
  releaseOfName("command line", name === "" ? undefined : name, "--release")

/** What a component of a release calls itself. */
export const userAgentOf = (component: string, { version }: Release): string => `${component}/${version} (linux/amd64)`

/** As `releaseOf`, of a kubelet: those whose controllers cannot be rehearsed have kubelets too. */
export const kubeletReleaseOf = (name: string): Result.Result<Release, InvalidInput> => {
  if (name === "") return Result.succeed(defaultRelease)
  if (isReleaseName(name)) return Result.succeed(releases[name])
  const message = `found "${name}", expected one of ${releaseNames.join(", ")}`
  return Result.fail(invalid("command line", "--release", message))
}
