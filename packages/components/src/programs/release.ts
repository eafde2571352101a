import type { Release } from "@rollcall/api"
import { type InvalidInput, releaseOfName } from "@rollcall/input"
import type * as Result from "effect/Result"

/** The release that `--release` names. */
export const releaseOf = (name: string): Result.Result<Release, InvalidInput> =>
  releaseOfName("command line", name === "" ? undefined : name, "--release")

/** What a component of a release calls itself. */
export const userAgentOf = (component: string, { version }: Release): string => `${component}/${version} (linux/amd64)`
