import { defaultRelease, type Release } from "@rollcall/api"
import { type DisruptionFlags, defaultDisruptionFlags } from "@rollcall/eviction/rules"
import type { HealthRules } from "./NodeHealth.ts"

/** The settings of the node lifecycle controller, under the flag names of kube-controller-manager. */
export interface NodeLifecycleSettings extends DisruptionFlags, HealthRules {
  /** `--node-monitor-period`: the pause between passes, counted from the end of one. */
  readonly nodeMonitorPeriodMs: number
  /** Conditions and spec.unschedulable become NoSchedule taints. */
  readonly conditionTaints: boolean
  /**
   * How pods leave a lost node: through NoExecute taints, or deleted by this controller after `podEvictionTimeoutMs`.
   */
  readonly podEviction: Release["podEviction"]
  /** `--pod-eviction-timeout` */
  readonly podEvictionTimeoutMs: number
  /** Pods that this controller has deleted and that do not terminate in time are force-deleted. */
  readonly forcedDeletion: boolean
}

/** The settings of a release, with overrides. */
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
