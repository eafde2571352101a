import type { Pod } from "@rollcall/api"

/**
 * error: a kubelet refuses the configuration. warning: pods or the machine will behave unexpectedly. info: worth
 * knowing.
 */
export type FindingSeverity = "error" | "warning" | "info"

export type FindingCode =
  | "both-given"
  | "gate-off"
  | "critical-exceeds-total"
  | "below-one-second"
  | "nothing-configured"
  | "critical-zero"
  | "normal-zero"
  | "no-time"
  | "truncated-seconds"
  | "mixed-order"
  | "duplicate-priority"
  | "empty-bucket"
  | "bucket-too-short"
  | "longer-than-shutdown"
  | "gap"
  | "below-lowest-bucket"
  | "critical-shares-bucket"
  | "static-without-priority"
  | "mirror-priority"
  | "no-time-for-volumes"
  | "storage-driver-with-users"
  | "storage-driver-first"
  | "logind-override"
  | "logind-long-delay"

/** One surprising consequence of a shutdown configuration. */
export interface ShutdownFinding {
  readonly severity: FindingSeverity
  readonly code: FindingCode
  /** A field of the configuration, `bucket <priority>`, or `logind`. */
  readonly subject: string
  /** A sentence or two: what will happen, and why. */
  readonly message: string
  /** The pods concerned, as `namespace/name`. */
  readonly pods?: ReadonlyArray<string>
}

export const podName = ({ metadata: { name, namespace } }: Pod): string =>
  namespace === undefined ? (name ?? "") : `${namespace}/${name ?? ""}`

export const plainField = "shutdownGracePeriod"
export const criticalField = "shutdownGracePeriodCriticalPods"
export const listField = "shutdownGracePeriodByPodPriority"

/** `1 pod`, `7 pods`. */
export const podCount = (count: number): string => `${count} ${count === 1 ? "pod" : "pods"}`

/** Picks `one` for a count of 1, else `many`: `is` or `are`. */
export const each = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** Milliseconds in seconds, as the fields of a shutdown are written: `90.5s`. */
export const secondsText = (ms: number): string => `${ms / 1000}s`
