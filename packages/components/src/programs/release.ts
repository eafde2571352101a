import type { Release } from "@rollcall/api"
import { type InvalidInput, releaseOfName } from "@rollcall/input"
import type * as Result from "effect/Result"

/** Returns the release of `--release`; the newest one if the name is empty. */
export const releaseOf = (name: string): Result.Result<Release, InvalidInput> =>
  releaseOfName("command line", name === "" ? undefined : name, "--release")

/** Returns the User-Agent of a component of a release. */
export const userAgentOf = (component: string, { version }: Release): string => `${component}/${version} (linux/amd64)`
