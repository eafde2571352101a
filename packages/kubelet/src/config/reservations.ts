import { formatQuantity, makeMilliQuantity, parseQuantity, type ResourceList, scaledValue, signOf } from "@rollcall/api"
import * as Result from "effect/Result"
import { goQuote } from "./goQuote.ts"

const RESERVABLE: ReadonlyArray<string> = ["cpu", "memory", "ephemeral-storage", "pid"]

/** Rounds an amount of CPU to the nearest millicore; amounts of other resources are returned unchanged. */
const roundCPU = (resource: string, amount: string): string =>
  resource === "cpu" ? formatQuantity(makeMilliQuantity(Math.floor((scaledValue(amount, -6) + 500) / 1000))) : amount

/**
 * Parses `systemReserved` or `kubeReserved`: quantities of cpu, memory, ephemeral-storage and pid. Fails with
 * upstream's message. Upstream: cmd/kubelet/app/server.go, parseResourceList.
 */
export const parseReservation = (amounts: Readonly<Record<string, string>>): Result.Result<ResourceList, string> => {
  const list: Record<string, string> = {}
  for (const [resource, text] of Object.entries(amounts)) {
    if (!RESERVABLE.includes(resource)) return Result.fail(`cannot reserve ${goQuote(resource)} resource`)
    const amount = parseQuantity(text)
    if (Result.isFailure(amount)) {
      return Result.fail(
        `failed to parse quantity ${goQuote(text)} for ${goQuote(resource)} resource: ${amount.failure.message}`
      )
    }
    if (signOf(amount.success) < 0) {
      return Result.fail(`resource quantity for ${goQuote(resource)} cannot be negative: ${text}`)
    }
    list[resource] = roundCPU(resource, text)
  }
  return Result.succeed(list)
}
