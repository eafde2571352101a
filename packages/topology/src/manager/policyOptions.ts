import * as Result from "effect/Result"
import { parseBool } from "../internal/parseBool.ts"

/** The parsed `topologyManagerPolicyOptions`. */
export interface TopologyPolicyOptions {
  /** Whether, of sets with equally many NUMA nodes, those that are closer together are preferred. */
  readonly preferClosestNumaNodes: boolean
  readonly maxAllowableNumaNodes: number
}

const preferClosest = "prefer-closest-numa-nodes"
const maxAllowable = "max-allowable-numa-nodes"
/** The default, and the least valid value, of the option max-allowable-numa-nodes. */
const minMaxAllowable = 8

/** Parses an integer like Go's strconv.Atoi, or fails with its error. */
const parseInteger = (text: string): Result.Result<number, string> => {
  const detail = (problem: string) => `strconv.Atoi: parsing ${JSON.stringify(text)}: ${problem}`
  if (!/^[+-]?\d+$/.test(text)) return Result.fail(detail("invalid syntax"))
  const value = BigInt(text)
  return value === BigInt.asIntN(64, value) ? Result.succeed(Number(value)) : Result.fail(detail("value out of range"))
}

/**
 * Parses `topologyManagerPolicyOptions`. Fails with the kubelet's error for the first invalid option. Upstream:
 * topologymanager/policy_options.go.
 */
export const parseTopologyPolicyOptions = (
  options: Readonly<Record<string, string>>
): Result.Result<TopologyPolicyOptions, string> => {
  let preferClosestNumaNodes = false
  let maxAllowableNumaNodes = minMaxAllowable
  for (const [name, text] of Object.entries(options)) {
    if (name === preferClosest) {
      const value = parseBool(text)
      if (value === undefined) {
        const cause = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`
        return Result.fail(`bad value for option "${name}": ${cause}`)
      }
      preferClosestNumaNodes = value
    } else if (name === maxAllowable) {
      const value = parseInteger(text)
      if (Result.isFailure(value)) {
        return Result.fail(`unable to convert policy option to integer "${name}": ${value.failure}`)
      }
      if (value.success < minMaxAllowable) {
        return Result.fail(`the minimum value of "${name}" should not be less than ${minMaxAllowable}`)
      }
      maxAllowableNumaNodes = value.success
    } else return Result.fail(`unknown Topology Manager Policy option: ${JSON.stringify(name)}`)
  }
  return Result.succeed({ preferClosestNumaNodes, maxAllowableNumaNodes })
}
