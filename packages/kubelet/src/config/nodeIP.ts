import { familyOf, formatIP, type IPAddress, parseIP } from "@rollcall/api/validation"
import * as Result from "effect/Result"

export interface NodeIPs {
  /** One, or one of each family, as Go prints addresses. */
  readonly ips: ReadonlyArray<string>
  /** What was no address, and is left out with a warning. */
  readonly invalid: ReadonlyArray<string>
}

const EXTERNAL = "external"

/**
 * `--node-ip`: an address or a pair of them, one of each family; `0.0.0.0` and `::` stand for the default address of their
 * family. Fails with upstream's message. Upstream: staging component-helpers/node/util/ips.go, ParseNodeIPArgument.
 */
export const parseNodeIPs = (text: string, cloudProvider: string): Result.Result<NodeIPs, string> => {
  const found: Array<IPAddress> = []
  const invalid: Array<string> = []
  for (const part of text === "" ? [] : text.split(",")) {
    const trimmed = part.trim()
    const address = parseIP(trimmed)
    if (address === undefined) invalid.push(trimmed)
    else found.push(address)
  }
  const [first, second] = found
  if (first !== undefined && second !== undefined) {
    if (found.length > 2 || familyOf(first) === familyOf(second)) {
      return Result.fail("must contain either a single IP or a dual-stack pair of IPs")
    }
    if (cloudProvider !== "" && cloudProvider !== EXTERNAL) {
      return Result.fail("dual-stack not supported in this configuration")
    }
    if (found.some(isUnspecified)) return Result.fail("dual-stack node IP cannot include '0.0.0.0' or '::'")
  }
  return Result.succeed({ ips: found.map(formatIP), invalid })
}

const isUnspecified = ({ bits, mapped }: IPAddress): boolean => bits === 0n || (mapped && (bits & 0xffffffffn) === 0n)
