import type { Pod, Release } from "@rollcall/api"
import type { ShutdownConfig } from "../config/ShutdownConfig.ts"
import { lintShutdown } from "../lint/lintShutdown.ts"
import { planShutdown, type ShutdownPlan } from "../plan/planShutdown.ts"

/** The plan and the findings for a node's shutdown. */
export interface ShutdownReport {
  readonly config: ShutdownConfig
  readonly release: Release
  /** The node's name; empty if the report is not about a particular node. */
  readonly node: string
  /** The node's pods; undefined if they are not known. */
  readonly pods: ReadonlyArray<Pod> | undefined
  readonly plan: ShutdownPlan<Pod>
  readonly findings: ReturnType<typeof lintShutdown>
}

/** What a report depends on besides the configuration. */
export interface ShutdownQuestion {
  readonly release: Release
  /** InhibitDelayMaxSec of the node's logind, in seconds. */
  readonly inhibitDelaySeconds: number
  readonly node?: string | undefined
  /** The node's pods; undefined if they are not known. */
  readonly pods?: ReadonlyArray<Pod> | undefined
}

/** Returns what a shutdown of a node does to its pods under a kubelet's settings, and what will surprise. */
export const reportShutdown = (
  config: ShutdownConfig,
  { inhibitDelaySeconds, node = "", pods, release }: ShutdownQuestion
): ShutdownReport => ({
  config,
  release,
  node,
  pods,
  plan: planShutdown(config, pods ?? [], { inhibitDelaySeconds }),
  findings: lintShutdown(config, pods, { inhibitDelaySeconds, release })
})
