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

/** The settings that reserve resources. */
export interface Reservations {
  readonly systemReserved: ResourceList
  readonly kubeReserved: ResourceList
  readonly evictionHard: Readonly<Record<string, string>>
}

/** Eviction signals with a reservation, by resource. */
const reservingSignals = { memory: "memory.available", "ephemeral-storage": "nodefs.available" } as const

const nothing: QuantityLike = "0"

/**
 * Percentages are single-precision fractions: 10 % of 100Gi is 10737418400, not 10737418240. 0% and 100% are no
 * thresholds. Upstream: pkg/kubelet/eviction/helpers.go parseThresholdStatement; api/types.go GetThresholdQuantity.
 */
const thresholdOf = (text: string, capacity: QuantityLike): QuantityLike => {
  if (!text.endsWith("%")) return text
  if (text === "0%" || text === "100%") return nothing
  const fraction = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100)
  return makeQuantity(Math.trunc(value(capacity) * fraction), "BinarySI")
}

/** Whether the container manager divides the resource; a reservation of any other has no effect. */
const isDivided = (resource: string): boolean =>
  resource === "cpu" || resource === "memory" || resource === "ephemeral-storage" || isHugePages(resource)

/** System, kube and hard eviction reservation together, by resource. */
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

/** An amount less what is taken, at least 0; the same value when nothing is taken. */
export const leftOf = (amount: string | number, taken: QuantityLike | undefined): string | number => {
  if (taken === undefined || signOf(taken) === 0) return amount
  const rest = subtractQuantity(amountOf(amount), taken)
  return formatQuantity(signOf(rest) < 0 ? makeQuantity(0) : rest)
}

/** The machine's pod limit: the configured maximum, or a maximum per core if that is less. */
export const podCapacity = (cpu: QuantityLike | undefined, maxPods: number, podsPerCore: number): string =>
  String(podsPerCore > 0 ? Math.min(value(cpu ?? "0") * podsPerCore, maxPods) : maxPods)
