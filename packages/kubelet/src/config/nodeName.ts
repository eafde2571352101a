import * as Result from "effect/Result"

/**
 * Returns the node's name: `--hostname-override`, or the hostname if that is empty; trimmed and in lower case.
 * Upstream: staging component-helpers/node/util/hostname.go.
 */
export const nodeNameOf = (hostnameOverride: string, hostname: string): Result.Result<string, string> => {
  const name = (hostnameOverride === "" ? hostname : hostnameOverride).trim()
  return name === "" ? Result.fail("empty hostname is invalid") : Result.succeed(name.toLowerCase())
}
