import {
  addQuantity,
  formatQuantity,
  makeQuantity,
  type QuantityLike,
  type ResourceList,
  signOf,
  subtractQuantity,
  value
} from "@rollcall/api"
import { isHugePages } from "./ResourceNames.ts"

/** The part of the configuration that takes from what pods may use. */
export interface Reservations {
  readonly systemReserved: ResourceList
  readonly kubeReserved: ResourceList
  readonly evictionHard: Readonly<Record<string, string>>
}

/** Eviction signals that reserve, and what they reserve. */
const reservingSignals = { memory: "memory.available", "ephemeral-storage": "nodefs.available" } as const

/** Percentages are single-precision fractions: 10 % of 100Gi is 10737418400, not 10737418240. */
const thresholdOf = (text: string, capacity: QuantityLike): QuantityLike => {
  if (!text.endsWith("%")) return text
  const fraction = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100)
  return makeQuantity(Math.trunc(value(capacity) * fraction), "BinarySI")
}

/** System, kube and hard eviction reservation of one resource together. */
const reservationOf = (name: string, capacity: QuantityLike, reservations: Reservations): QuantityLike => {
  const { evictionHard, kubeReserved, systemReserved } = reservations
  const signal = name === "memory" || name === "ephemeral-storage" ? reservingSignals[name] : undefined
  const threshold = signal === undefined ? undefined : evictionHard[signal]
  const fixed = addQuantity(systemReserved[name] ?? "0", kubeReserved[name] ?? "0")
  return threshold === undefined ? fixed : addQuantity(fixed, thresholdOf(threshold, capacity))
}

const leftOf = (capacity: QuantityLike, taken: QuantityLike): QuantityLike => {
  const rest = subtractQuantity(capacity, taken)
  return signOf(rest) < 0 ? makeQuantity(0) : rest
}

/**
 * What pods may use of a machine: capacity less reservations, never below nothing; huge pages count against memory in full.
 * Upstream: pkg/kubelet/nodestatus/setters.go MachineInfo; pkg/kubelet/cm/node_container_manager_linux.go.
 */
export const allocatableOf = (capacity: ResourceList, reservations: Reservations): ResourceList => {
  const allocatable: Record<string, string | number> = {}
  let hugePages: QuantityLike = "0"
  for (const [name, amount] of Object.entries(capacity)) {
    const reserved = reservationOf(name, amount, reservations)
    allocatable[name] = signOf(reserved) === 0 ? amount : formatQuantity(leftOf(amount, reserved))
    if (isHugePages(name)) hugePages = addQuantity(hugePages, amount)
  }
  const { memory } = allocatable
  if (memory !== undefined && signOf(hugePages) > 0) allocatable.memory = formatQuantity(leftOf(memory, hugePages))
  return allocatable
}

/** Pods that a machine takes: the configured maximum, no more than so many a core. */
export const podCapacity = (cpu: QuantityLike | undefined, maxPods: number, podsPerCore: number): string =>
  String(podsPerCore > 0 ? Math.min(value(cpu ?? "0") * podsPerCore, maxPods) : maxPods)
