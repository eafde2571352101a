import { defaultRelease, type Release } from "@rollcall/api"
import { type DisruptionFlags, defaultDisruptionFlags } from "@rollcall/eviction"
import type { HealthRules } from "./NodeHealth.ts"

/** How the node lifecycle controller runs; names are those of kube-controller-manager's flags. */
export interface NodeLifecycleSettings extends DisruptionFlags, HealthRules {
  /** `--node-monitor-period`: the pause between passes, counted from the end of one. */
  readonly nodeMonitorPeriodMs: number
  /** Conditions and spec.unschedulable become NoSchedule taints. */
  readonly conditionTaints: boolean
  /** How pods leave a lost node: by NoExecute taints on it, or deleted by this controller after `podEvictionTimeoutMs`. */
  readonly podEviction: Release["podEviction"]
  /** `--pod-eviction-timeout` */
  readonly podEvictionTimeoutMs: number
  /** Pods that this controller has deleted and that do not end in time are removed by force. */
  readonly forcedDeletion: boolean
}

/** The settings of a release, where nothing else is given. */
export const nodeLifecycleSettings = (
  given: Partial<NodeLifecycleSettings> = {},
  release: Release = defaultRelease
): NodeLifecycleSettings => ({
  ...defaultDisruptionFlags,
  nodeMonitorPeriodMs: 5000,
  nodeMonitorGracePeriodMs: release.nodeMonitorGracePeriodSeconds * 1000,
  nodeStartupGracePeriodMs: 60_000,
  staleConditions: release.staleConditions,
  conditionTaints: release.conditionTaints,
  podEviction: release.podEviction,
  podEvictionTimeoutMs: release.podEvictionTimeoutSeconds * 1000,
  forcedDeletion: release.forcedDeletion,
  ...given
})
