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

/** The settings that reserve resources of a node. */
export interface Reservations {
  readonly systemReserved: ResourceList
  readonly kubeReserved: ResourceList
  readonly evictionHard: Readonly<Record<string, string>>
}

/** The eviction signals whose hard threshold is reserved, by resource. */
const reservingSignals = { memory: "memory.available", "ephemeral-storage": "nodefs.available" } as const

const ZERO: QuantityLike = "0"

/**
 * Returns a threshold as a quantity. Percentages are single-precision fractions: 10 % of 100Gi is 10737418400, not
 * 10737418240. Upstream treats 0% and 100% as no threshold. Upstream: pkg/kubelet/eviction/helpers.go parseThresholdStatement; api/types.go GetThresholdQuantity.
 */
const thresholdOf = (text: string, capacity: QuantityLike): QuantityLike => {
  if (!text.endsWith("%")) return text
  if (text === "0%" || text === "100%") return ZERO
  const fraction = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100)
  return makeQuantity(Math.trunc(value(capacity) * fraction), "BinarySI")
}

/** Whether the resource can be reserved. A reservation of any other has no effect. */
const isReservable = (resource: string): boolean =>
  resource === "cpu" || resource === "memory" || resource === "ephemeral-storage" || isHugePages(resource)

/** Returns what the system, Kubernetes and the hard eviction thresholds reserve together, by resource. */
export const nodeReservation = (
  capacity: ResourceList,
  { evictionHard, kubeReserved, systemReserved }: Reservations
): Readonly<Record<string, Amount>> => {
  const reserved: Record<string, Amount> = {}
  for (const [name, amount] of Object.entries(capacity)) {
    if (!isReservable(name)) continue
    const signal = name === "memory" || name === "ephemeral-storage" ? reservingSignals[name] : undefined
    const threshold = signal === undefined ? undefined : evictionHard[signal]
    let sum = addQuantity(systemReserved[name] ?? ZERO, kubeReserved[name] ?? ZERO)
    if (threshold !== undefined) sum = addQuantity(sum, thresholdOf(threshold, amount))
    if (signOf(sum) !== 0) reserved[name] = sum
  }
  return reserved
}

/** Returns an amount less its reservation, at least 0. Returns the same value, unformatted, if nothing is reserved. */
export const subtractReserved = (amount: string | number, reserved: QuantityLike | undefined): string | number => {
  if (reserved === undefined || signOf(reserved) === 0) return amount
  const rest = subtractQuantity(amountOf(amount), reserved)
  return formatQuantity(signOf(rest) < 0 ? makeQuantity(0) : rest)
}

/** Returns the machine's limit of pods: `maxPods`, or `podsPerCore` for each core if that is less. */
export const podCapacity = (cpu: QuantityLike | undefined, maxPods: number, podsPerCore: number): string =>
  String(podsPerCore > 0 ? Math.min(value(cpu ?? "0") * podsPerCore, maxPods) : maxPods)
