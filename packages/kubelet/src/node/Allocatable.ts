import {
  type Amount,
  addQuantity,
  amountOf,
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

const nothing: QuantityLike = "0"

/**
 * Percentages are single-precision fractions: 10 % of 100Gi is 10737418400, not 10737418240. None and all are no thresholds.
 * Upstream: pkg/kubelet/eviction/helpers.go parseThresholdStatement; api/types.go GetThresholdQuantity.
 */
const thresholdOf = (text: string, capacity: QuantityLike): QuantityLike => {
  if (!text.endsWith("%")) return text
  if (text === "0%" || text === "100%") return nothing
  const fraction = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100)
  return makeQuantity(Math.trunc(value(capacity) * fraction), "BinarySI")
}

/** What the container manager divides up; a reservation of anything else has no effect. */
const isDivided = (resource: string): boolean =>
  resource === "cpu" || resource === "memory" || resource === "ephemeral-storage" || isHugePages(resource)

/** System, kube and hard eviction reservation together, of each resource of which something is reserved. */
export const nodeReservation = (
  capacity: ResourceList,
  { evictionHard, kubeReserved, systemReserved }: Reservations
): Readonly<Record<string, Amount>> => {
  const reserved: Record<string, Amount> = {}
  for (const [name, amount] of Object.entries(capacity)) {
    if (!isDivided(name)) continue
    const signal = name === "memory" || name === "ephemeral-storage" ? reservingSignals[name] : undefined
    const threshold = signal === undefined ? undefined : evictionHard[signal]
    let sum = addQuantity(systemReserved[name] ?? nothing, kubeReserved[name] ?? nothing)
    if (threshold !== undefined) sum = addQuantity(sum, thresholdOf(threshold, amount))
    if (signOf(sum) !== 0) reserved[name] = sum
  }
  return reserved
}

/** What is left of an amount, never less than nothing; the very amount when nothing is taken. */
export const leftOf = (amount: string | number, taken: QuantityLike | undefined): string | number => {
  if (taken === undefined || signOf(taken) === 0) return amount
  const rest = subtractQuantity(amountOf(amount), taken)
  return formatQuantity(signOf(rest) < 0 ? makeQuantity(0) : rest)
}

/** Pods that a machine takes: the configured maximum, no more than so many a core. */
export const podCapacity = (cpu: QuantityLike | undefined, maxPods: number, podsPerCore: number): string =>
  String(podsPerCore > 0 ? Math.min(value(cpu ?? "0") * podsPerCore, maxPods) : maxPods)
