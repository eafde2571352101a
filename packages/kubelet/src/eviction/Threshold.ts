import { type Amount, addQuantity, compareQuantity, makeQuantity } from "@rollcall/api"
import type { HostReadings, ResourceReading } from "../runtime/NodeHost.ts"
import { type EvictionSignal, signalFacts } from "./Signals.ts"

/** An amount, or a fraction of the capacity, in single precision as upstream stores it. */
export type ThresholdValue = { readonly quantity: Amount } | { readonly fraction: number }

/**
 * When to act on a signal. Thresholds are identified by object identity, which is the key of their state.
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

/** Readings by signal, of one synchronization. */
export type Observations = HostReadings["signals"]

/** A threshold's amount on a machine; for a percentage truncated to whole units. */
export const thresholdQuantity = (value: ThresholdValue, capacity: number): Amount =>
  "quantity" in value ? value.quantity : makeQuantity(Math.trunc(capacity * value.fraction), "BinarySI")

/** The available amount in the signal's format. */
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
 * Thresholds with less available than required, whatever their grace periods; `withMinReclaim` adds the minimum
 * reclaim. A signal without a reading is not met. Upstream: pkg/kubelet/eviction/helpers.go thresholdsMet.
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
