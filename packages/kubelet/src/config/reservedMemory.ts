import { equalQuantity, parseQuantity, type ResourceList } from "@rollcall/api"
import * as Result from "effect/Result"
import { goQuote } from "./goQuote.ts"

/** The memory that is reserved on one NUMA node. */
export interface MemoryReservation {
  readonly numaNode: number
  readonly limits: ResourceList
}

const HUGE_PAGES = "hugepages-"

const isMemory = (resource: string): boolean => resource === "memory" || resource.startsWith(HUGE_PAGES)

/**
 * Parses one `--reserved-memory`: `numaNodeID:type=quantity[,type=quantity...]`. Fails with upstream's message, its
 * spelling included. Upstream: pkg/util/flag/flags.go, ReservedMemoryVar.
 */
export const parseReservedMemory = (text: string): Result.Result<MemoryReservation, string> => {
  const [node = "", list, ...more] = text.split(":")
  if (list === undefined || more.length > 0) {
    return Result.fail(
      `the reserved memory has incorrect format, expected numaNodeID:type=quantity[,type=quantity...], got ${text}`
    )
  }
  if (!/^[-+]?\d+$/.test(node)) {
    return Result.fail(`failed to convert the NUMA node ID, exptected integer, got ${node}`)
  }
  const limits: Record<string, string> = {}
  for (const part of list.split(",")) {
    const [resource = "", amount, ...rest] = part.split("=")
    if (amount === undefined || rest.length > 0) {
      return Result.fail(`the reserved limit has incorrect value, expected type=quantatity, got ${part}`)
    }
    if (!isMemory(resource)) return Result.fail(`memory type conversion error, unknown type: ${goQuote(resource)}`)
    if (Result.isFailure(parseQuantity(amount))) {
      return Result.fail(`failed to parse the quantatity, expected quantatity, got ${amount}`)
    }
    limits[resource] = amount
  }
  return Result.succeed({ numaNode: Number(node), limits })
}

/**
 * Validates `reservedMemory`; returns upstream's messages. Upstream:
 * pkg/kubelet/apis/config/validation/validation_reserved_memory.go.
 */
export const validateReservedMemory = (
  reservations: ReadonlyArray<Partial<MemoryReservation>>
): ReadonlyArray<string> => {
  const errors: Array<string> = []
  const checked = new Set<string>()
  for (const { limits = {}, numaNode = 0 } of reservations) {
    for (const [resource, amount] of Object.entries(limits)) {
      if (!isMemory(resource)) {
        errors.push(
          `invalid configuration: the limit type ${goQuote(resource)} for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`
        )
      }
      if (equalQuantity(amount, "0")) {
        errors.push(
          `invalid configuration: reserved memory may not be zero for NUMA node ${numaNode} and resource ${goQuote(resource)}`
        )
      }
      const key = `${numaNode} ${resource}`
      if (checked.has(key)) {
        errors.push(
          `invalid configuration: the reserved memory has a duplicate value for NUMA node ${numaNode} and resource ${goQuote(resource)}`
        )
      }
      checked.add(key)
    }
  }
  return errors
}
