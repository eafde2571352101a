import type { Pod } from "@rollcall/api"

/**
 * The severity of a finding: `error` if a kubelet refuses the configuration, `warning` if pods or the machine behave
 * unexpectedly, `info` if it is only worth knowing.
 */
export type FindingSeverity = "error" | "warning" | "info"

/** What a finding is about. docs/how-to/plan-a-shutdown.md explains each code. */
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

/** Returns the pod's name, with its namespace if it has one. */
export const podName = ({ metadata: { name, namespace } }: Pod): string =>
  namespace === undefined ? (name ?? "") : `${namespace}/${name ?? ""}`

/** The fields of a KubeletConfiguration that configure shutdowns. */
export const totalField = "shutdownGracePeriod"
export const criticalField = "shutdownGracePeriodCriticalPods"
export const listField = "shutdownGracePeriodByPodPriority"

/** Returns a number of pods as text: `1 pod`, `7 pods`. */
export const podCount = (count: number): string => `${count} ${count === 1 ? "pod" : "pods"}`

/** Returns `one` for a count of 1, and otherwise `many`, such as `is` and `are`. */
export const singularOrPlural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** Returns milliseconds as seconds, as the fields of a shutdown are written: `90.5s`. */
export const secondsText = (ms: number): string => `${ms / 1000}s`
