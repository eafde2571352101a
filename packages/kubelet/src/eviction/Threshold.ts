import { type Amount, addQuantity, compareQuantity, makeQuantity } from "@rollcall/api"
import type { HostReadings, ResourceReading } from "../runtime/NodeHost.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

/** An amount, or a fraction of the capacity from 0 to 1, in single precision as upstream stores it. */
export type ThresholdValue = { readonly quantity: Amount } | { readonly fraction: number }

/**
 * When to act on a signal. The object itself is the key of a threshold's state, so that equal thresholds are distinct.
 * Upstream: pkg/kubelet/eviction/api/types.go Threshold; its operator is always LessThan.
 */
export interface Threshold {
  readonly signal: EvictionSignal
  readonly value: ThresholdValue
  /** The grace period. 0 makes a hard threshold, even of a soft one that is configured with a period of 0. */
  readonly graceMs: number
  /** How much more than the threshold must be available before it counts as resolved, after it was acted on. */
  readonly minReclaim: ThresholdValue | undefined
}

export const isHard = ({ graceMs }: Threshold): boolean => graceMs === 0

/** The readings of one synchronization, by signal. */
export type Observations = HostReadings["signals"]

/** Returns a threshold's amount on a machine. A percentage is truncated to whole units. */
export const thresholdQuantity = (value: ThresholdValue, capacity: number): Amount =>
  "quantity" in value ? value.quantity : makeQuantity(Math.trunc(capacity * value.fraction), "BinarySI")

/** Returns the available amount in the signal's format, truncated to whole units. */
export const availableQuantity = (signal: EvictionSignal, reading: ResourceReading): Amount =>
  makeQuantity(Math.trunc(reading.available), signalFacts[signal].format)

const isMet = (threshold: Threshold, reading: ResourceReading, withMinReclaim: boolean): boolean => {
  const { minReclaim, signal, value } = threshold
  let required = thresholdQuantity(value, reading.capacity)
  if (withMinReclaim && minReclaim !== undefined) {
    required = addQuantity(required, thresholdQuantity(minReclaim, reading.capacity))
  }
  return compareQuantity(required, availableQuantity(signal, reading)) > 0
}

/**
 * Returns the thresholds with less available than required, regardless of their grace periods. `withMinReclaim` adds
 * the minimum reclaim to what is required. A threshold whose signal has no reading is not met. Upstream:
 * pkg/kubelet/eviction/helpers.go thresholdsMet.
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
