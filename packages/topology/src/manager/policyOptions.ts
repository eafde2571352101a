import * as Result from "effect/Result"
import { parseBool } from "../internal/parseBool.ts"

export interface TopologyPolicyOptions {
  /** Of equally many NUMA nodes prefer those that are closer together. */
  readonly preferClosestNumaNodes: boolean
  readonly maxAllowableNumaNodes: number
}

const preferClosest = "prefer-closest-numa-nodes"
const maxAllowable = "max-allowable-numa-nodes"
const fewestAllowable = 8

/** As Go's strconv.Atoi, or its error. */
const parseInteger = (text: string): Result.Result<number, string> => {
  const detail = (what: string) => `strconv.Atoi: parsing ${JSON.stringify(text)}: ${what}`
  if (!/^[+-]?\d+$/.test(text)) return Result.fail(detail("invalid syntax"))
  const value = BigInt(text)
  return value === BigInt.asIntN(64, value) ? Result.succeed(Number(value)) : Result.fail(detail("value out of range"))
}

/**
 * Parses `topologyManagerPolicyOptions`; fails with the kubelet's error for the first wrong one.
 * Upstream: topologymanager/policy_options.go.
 */
export const parseTopologyPolicyOptions = (
  options: Readonly<Record<string, string>>
): Result.Result<TopologyPolicyOptions, string> => {
  let preferClosestNumaNodes = false
  let maxAllowableNumaNodes = fewestAllowable
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
      if (value.success < fewestAllowable) {
        return Result.fail(`the minimum value of "${name}" should not be less than ${fewestAllowable}`)
      }
      maxAllowableNumaNodes = value.success
    } else return Result.fail(`unknown Topology Manager Policy option: ${JSON.stringify(name)}`)
  }
  return Result.succeed({ preferClosestNumaNodes, maxAllowableNumaNodes })
}
