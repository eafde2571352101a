import { formatDuration } from "@rollcall/api"
import { type ClusterError, isNotFound, type LogLine } from "@rollcall/cluster"
import type { LeaseStep, LeaseSync } from "./LeaseSync.ts"

const UPDATES_FAILED = "failed 5 attempts to update lease"

const error = (message: string, fields: LogLine["fields"]): LogLine => ({ severity: "error", message, fields })

/** Returns the lines for the end of a round in which all updates failed; none if the round continues. */
const roundLines = <A>(before: LeaseSync<A>, { action, state }: LeaseStep<A>, intervalMs: number): Array<LogLine> => {
  if (before.fallback && !state.fallback) {
    const message = "failed to update lease using latest lease, fallback to ensure lease"
    return [{ severity: "info", message, fields: { err: UPDATES_FAILED } }]
  }
  if (action.type !== "end") return []
  return [error("Will retry updating lease", { err: UPDATES_FAILED, interval: formatDuration(intervalMs) })]
}

/** The facts about a failed request that its log lines contain. */
export interface LeaseFailure {
  readonly error: ClusterError
  /** The node's name. */
  readonly node: string
  /** The interval between renewals. */
  readonly intervalMs: number
}

/**
 * Returns the log lines of a kubelet for a failed answer: `before` is the sync that waited for it, `step` what follows.
 * A Lease that does not exist yet is not logged. A Node that does not exist yet, as at each first start, is logged as
 * information, where upstream logs an error. Upstream:
 * staging/src/k8s.io/component-helpers/apimachinery/lease/controller.go, pkg/kubelet/util/nodelease.go.
 */
export const leaseFailureLines = <A>(
  before: LeaseSync<A>,
  step: LeaseStep<A>,
  { error: cause, intervalMs, node }: LeaseFailure
): ReadonlyArray<LogLine> => {
  const err = cause.message
  const noOwner: LogLine = {
    severity: isNotFound(cause) ? "info" : "error",
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
