import { addQuantity, makeQuantity, type QuantityLike, type ResourceList, signOf, zeroQuantity } from "@rollcall/api"
import * as Result from "effect/Result"
import { CpuSet, parseCpuSet } from "./cpu/CpuSet.ts"
import type { MachineTopology } from "./MachineTopology.ts"
import { hugePagesName } from "./memory/MachineMemory.ts"

/** The settings that reserve resources. */
export interface ReservationConfig {
  readonly kubeReserved: ResourceList
  readonly systemReserved: ResourceList
  readonly evictionHard: Readonly<Record<string, string>>
  readonly reservedSystemCPUs: string
}

/**
 * Returns a threshold as a quantity. Percentages are single-precision fractions. Upstream:
 * pkg/kubelet/eviction/api/types.go GetThresholdQuantity.
 */
const thresholdOf = (text: string, capacityBytes: number): QuantityLike => {
  if (!text.endsWith("%")) return text
  const fraction = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100)
  return makeQuantity(Math.trunc(capacityBytes * fraction), "BinarySI")
}

/**
 * Returns the reserved CPU, memory and huge pages of the machine, without zero entries. Upstream:
 * pkg/kubelet/cm/node_container_manager_linux.go GetNodeAllocatableReservation.
 */
export const nodeAllocatableReservation = (
  { evictionHard, kubeReserved, systemReserved }: ReservationConfig,
  machine: Pick<MachineTopology, "numaNodes">,
  memoryCapacity: number = machine.numaNodes.reduce((sum, { memory }) => sum + memory, 0)
): Readonly<Record<string, QuantityLike>> => {
  const hugePages = machine.numaNodes.flatMap((node) =>
    node.hugePages.map(({ pageSizeKiB }) => hugePagesName(pageSizeKiB))
  )
  const reservation: Record<string, QuantityLike> = {}
  for (const name of new Set(["cpu", "memory", ...hugePages])) {
    const threshold = name === "memory" ? evictionHard["memory.available"] : undefined
    const configured = addQuantity(addQuantity(zeroQuantity, systemReserved[name] ?? "0"), kubeReserved[name] ?? "0")
    const sum = threshold === undefined ? configured : addQuantity(configured, thresholdOf(threshold, memoryCapacity))
    if (signOf(sum) !== 0) reservation[name] = sum
  }
  return reservation
}

/**
 * Parses `reservedSystemCPUs`. Fails with the kubelet's error if it is invalid, or names CPUs that the machine does not
 * have. Upstream: cmd/kubelet/app/server.go getReservedCPUs.
 */
export const reservedCpusOf = (text: string, machine: MachineTopology): Result.Result<CpuSet, string> => {
  if (text === "") return Result.succeed(CpuSet.empty)
  const parsed = Result.mapError(parseCpuSet(text), (cause) => `unable to parse reserved-cpus list: ${cause}`)
  return Result.flatMap(parsed, (reserved) => {
    const online = CpuSet.of(machine.cpus.map(({ id }) => id))
    return reserved.difference(online).isEmpty
      ? Result.succeed(reserved)
      : Result.fail(`reserved-cpus: ${text} is not a subset of online-cpus: ${online}`)
  })
}
