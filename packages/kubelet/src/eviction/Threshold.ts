import { type Amount, addQuantity, compareQuantity, makeQuantity } from "@rollcall/api"
import type { HostReadings, ResourceReading } from "../runtime/NodeHost.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

/** So much, or this part of the capacity: a fraction, in single precision as upstream keeps it. */
export type ThresholdValue = { readonly quantity: Amount } | { readonly fraction: number }

/**
 * When to act on a signal. Thresholds are told apart by identity: what is remembered about one is kept under the object itself.
 * Upstream: pkg/kubelet/eviction/api/types.go Threshold; its operator is always LessThan.
 */
export interface Threshold {
  readonly signal: EvictionSignal
  readonly value: ThresholdValue
  /** 0 is a hard threshold; a soft one without a grace period is one too. */
  readonly graceMs: number
  /** How much more than the threshold must be available before it counts as resolved, once it was acted on. */
  readonly minReclaim: ThresholdValue | undefined
}

export const isHard = ({ graceMs }: Threshold): boolean => graceMs === 0

/** Readings by signal, as one look at the machine gives them. */
export type Observations = HostReadings["signals"]

/** What a threshold comes to on a machine; of a percentage, whole units without what is behind the point. */
export const thresholdQuantity = (value: ThresholdValue, capacity: number): Amount =>
  "quantity" in value ? value.quantity : makeQuantity(Math.trunc(capacity * value.fraction), "BinarySI")

/** What is available, as it prints. */
export const availableQuantity = (signal: EvictionSignal, reading: ResourceReading): Amount =>
  makeQuantity(Math.trunc(reading.available), signalFacts[signal].format)

const isMet = (threshold: Threshold, reading: ResourceReading, withMinReclaim: boolean): boolean => {
  const { minReclaim, signal, value } = threshold
  let wanted = thresholdQuantity(value, reading.capacity)
  if (withMinReclaim && minReclaim !== undefined) {
    wanted = addQuantity(wanted, thresholdQuantity(minReclaim, reading.capacity))
  }
  return compareQuantity(wanted, availableQuantity(signal, reading)) > 0
}

/**
 * Thresholds of which less is available than they say, whatever their grace periods; `withMinReclaim` asks for the minimum
 * reclaim on top. A signal without a reading meets nothing. Upstream: pkg/kubelet/eviction/helpers.go thresholdsMet.
 */
export const thresholdsMet = (
  thresholds: ReadonlyArray<Threshold>,
  observations: Observations,
  withMinReclaim: boolean
): ReadonlyArray<Threshold> =>
  thresholds.filter((threshold) => {
    const reading = observations[threshold.signal]
    return reading !== undefined && isMet(threshold, reading, withMinReclaim)
  })
