import type { SettingValues } from "@rollcall/input"
import type { Plan } from "../input/load.ts"

/** The numbers that decide what a control plane does about lost nodes, by flag or default; times are in seconds. */
export interface Rules {
  readonly release: string
  /** `--node-monitor-grace-period` */
  readonly grace: number
  /** `--node-monitor-period` */
  readonly period: number
  /** The pause between two heartbeats of a kubelet. */
  readonly heartbeat: number
  /** `--node-eviction-rate` */
  readonly rate: number
  /** `--secondary-node-eviction-rate` */
  readonly secondaryRate: number
  /** `--large-cluster-size-threshold` */
  readonly largeSize: number
  /** `--unhealthy-zone-threshold` */
  readonly unhealthyShare: number
  /** `--pod-eviction-timeout`, where pods of lost nodes are deleted without regard to taints. */
  readonly evictionTimeout: number | undefined
  /** `--default-unreachable-toleration-seconds` */
  readonly toleration: number
  /** `--default-not-ready-toleration-seconds` */
  readonly notReadyToleration: number
  readonly leaderElect: boolean
  /** `--leader-elect-lease-duration` */
  readonly leaseDuration: number
  /** `--leader-elect-renew-deadline` */
  readonly renewDeadline: number
}

/** A kubelet renews its Lease after a quarter of its duration. Upstream: pkg/kubelet/kubelet.go. */
const RENEWALS_A_LEASE = 4
/** How often a kubelet of a release without Leases posts its status. */
const STATUS_SECONDS = 10

const numberOf = (values: SettingValues, key: string, fallback: number): number => {
  const value = values[key]
  return typeof value === "number" ? value : fallback
}

export const rulesOf = ({
  elections,
  kubelet,
  release,
  settings: { apiServer, controllerManager }
}: Pick<Plan, "elections" | "kubelet" | "release" | "settings">): Rules => ({
  release: release.name,
  grace: numberOf(controllerManager, "nodeMonitorGracePeriodMs", release.nodeMonitorGracePeriodSeconds * 1000) / 1000,
  period: numberOf(controllerManager, "nodeMonitorPeriodMs", 5000) / 1000,
  heartbeat: release.nodeLeases ? (kubelet.nodeLeaseDurationSeconds ?? 40) / RENEWALS_A_LEASE : STATUS_SECONDS,
  rate: numberOf(controllerManager, "nodeEvictionRate", 0.1),
  secondaryRate: numberOf(controllerManager, "secondaryNodeEvictionRate", 0.01),
  largeSize: numberOf(controllerManager, "largeClusterSizeThreshold", 50),
  unhealthyShare: numberOf(controllerManager, "unhealthyZoneThreshold", 0.55),
  evictionTimeout:
    release.podEviction === "deletion"
      ? numberOf(controllerManager, "podEvictionTimeoutMs", release.podEvictionTimeoutSeconds * 1000) / 1000
      : undefined,
  toleration: numberOf(apiServer, "defaultUnreachableTolerationSeconds", 300),
  notReadyToleration: numberOf(apiServer, "defaultNotReadyTolerationSeconds", 300),
  leaderElect: elections.controllerManager.leaderElect,
  leaseDuration: elections.controllerManager.leaseDurationMs / 1000,
  renewDeadline: elections.controllerManager.renewDeadlineMs / 1000
})
