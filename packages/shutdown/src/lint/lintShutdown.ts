import type { Pod, Release } from "@rollcall/api"
import type { ShutdownConfig } from "../config/ShutdownConfig.ts"
import { defaultInhibitDelaySeconds, type PlanOptions, planShutdown } from "../plan/planShutdown.ts"
import { bucketFindings, logindFindings } from "./bucketFindings.ts"
import type { FindingSeverity, ShutdownFinding } from "./Finding.ts"
import { podFindings } from "./podFindings.ts"
import { refusals } from "./refusals.ts"
import { storageFindings } from "./storageFindings.ts"

export interface LintOptions extends PlanOptions {
  /** The release to name in messages about feature gates that it does not have. */
  readonly release?: Release
}

const order: Readonly<Record<FindingSeverity, number>> = { error: 0, warning: 1, info: 2 }

/**
 * Finds what will surprise in a node's shutdown, the worst first. Without pods only the configuration is checked. Of a
 * configuration that a kubelet refuses only the errors are reported.
 */
export const lintShutdown = (
  config: ShutdownConfig,
  pods: ReadonlyArray<Pod> | undefined,
  options: LintOptions = {}
): ReadonlyArray<ShutdownFinding> => {
  const refused = refusals(config, options.release)
  if (refused.length > 0) return refused
  const findings = [
    ...bucketFindings(config),
    ...logindFindings(config, options.inhibitDelaySeconds ?? defaultInhibitDelaySeconds)
  ]
  if (pods !== undefined) {
    const plan = planShutdown(config, pods, options)
    findings.push(...podFindings(plan, config.shutdownGracePeriodByPodPriority.length > 0), ...storageFindings(plan))
  }
  return findings.toSorted((left, right) => order[left.severity] - order[right.severity])
}
