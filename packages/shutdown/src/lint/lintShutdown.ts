import type { Pod, Release } from "@rollcall/api"
import type { ShutdownConfig } from "../config/ShutdownConfig.ts"
import { defaultInhibitDelaySeconds, type PlanOptions, planShutdown } from "../plan/planShutdown.ts"
import { bucketFindings, logindFindings } from "./bucketFindings.ts"
import type { FindingSeverity, ShutdownFinding } from "./Finding.ts"
import { podFindings } from "./podFindings.ts"
import { refusalFindings } from "./refusals.ts"
import { storageFindings } from "./storageFindings.ts"

/** Options of `lintShutdown`. */
export interface LintOptions extends PlanOptions {
  /** The release to name in messages about feature gates that it does not have. */
  readonly release?: Release
}

const severityOrder: Readonly<Record<FindingSeverity, number>> = { error: 0, warning: 1, info: 2 }

/**
 * Returns what will surprise in a node's shutdown, the worst first. Without pods only the configuration is checked. For
 * a configuration that a kubelet refuses, only the errors are returned.
 */
export const lintShutdown = (
  config: ShutdownConfig,
  pods: ReadonlyArray<Pod> | undefined,
  options: LintOptions = {}
): ReadonlyArray<ShutdownFinding> => {
  const errors = refusalFindings(config, options.release)
  if (errors.length > 0) return errors
  const findings = [
    ...bucketFindings(config),
    ...logindFindings(config, options.inhibitDelaySeconds ?? defaultInhibitDelaySeconds)
  ]
  if (pods !== undefined) {
    const plan = planShutdown(config, pods, options)
    findings.push(...podFindings(plan, config.shutdownGracePeriodByPodPriority.length > 0), ...storageFindings(plan))
  }
  return findings.toSorted((left, right) => severityOrder[left.severity] - severityOrder[right.severity])
}
