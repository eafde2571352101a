import * as Result from "effect/Result"

/** The node's name is the hostname, or what stands in for it. Upstream: staging component-helpers/node/util/hostname.go. */
export const nodeNameOf = (hostnameOverride: string, hostname: string): Result.Result<string, string> => {
  const name = (hostnameOverride === "" ? hostname : hostnameOverride).trim()
  return name === "" ? Result.fail("empty hostname is invalid") : Result.succeed(name.toLowerCase())
}
