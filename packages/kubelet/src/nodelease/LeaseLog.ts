import { formatDuration } from "@rollcall/api"
import type { LogLine } from "@rollcall/cluster"
import type { LeaseStep, LeaseSync } from "./LeaseSync.ts"

const IN_VAIN = "failed 5 attempts to update lease"

const error = (message: string, fields: LogLine["fields"]): LogLine => ({ severity: "error", message, fields })

/** The lines for a round in which all updates failed. */
const roundLines = <A>(before: LeaseSync<A>, { action, state }: LeaseStep<A>, intervalMs: number): Array<LogLine> => {
  if (before.fallback && !state.fallback) {
    const message = "failed to update lease using latest lease, fallback to ensure lease"
    return [{ severity: "info", message, fields: { err: IN_VAIN } }]
  }
  if (action.type !== "end") return []
  return [error("Will retry updating lease", { err: IN_VAIN, interval: formatDuration(intervalMs) })]
}

export interface LeaseFailure {
  readonly err: string
  /** Whether the requested object does not exist. */
  readonly isMissing: boolean
  readonly node: string
  readonly intervalMs: number
}

/**
 * The log lines of a kubelet for a failed answer, from the sync before it and the step after it. None for a Lease that
 * does not exist yet; upstream logs an error if the Node does not exist yet, as at each first start.
 * Upstream: staging/src/k8s.io/component-helpers/apimachinery/lease/controller.go, pkg/kubelet/util/nodelease.go.
 */
export const leaseFailureLines = <A>(
  before: LeaseSync<A>,
  step: LeaseStep<A>,
  { err, intervalMs, isMissing, node }: LeaseFailure
): ReadonlyArray<LogLine> => {
  const noOwner: LogLine = {
    severity: isMissing ? "info" : "error",
    message: "Failed to get node when trying to set owner ref to the node lease",
    fields: { err, node }
  }
  switch (before.awaiting) {
    case "ownerOfCreate":
      return [noOwner]
    case "ownerOfUpdate":
      return [noOwner, error("Failed to prepare lease", { err }), ...roundLines(before, step, intervalMs)]
    case "update":
      return [error("Failed to update lease", { err }), ...roundLines(before, step, intervalMs)]
    default: {
      if (step.action.type !== "sleep") return []
      const interval = formatDuration(step.action.ms)
      return [error("Failed to ensure lease exists, will retry", { err, interval })]
    }
  }
}
