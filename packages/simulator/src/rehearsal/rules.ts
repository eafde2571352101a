import type { SettingValues } from "@rollcall/input"
import { modelUpstream } from "@rollcall/kubelet"
import type { Plan } from "../input/Plan.ts"
import type { Rules } from "../Result.ts"

/** A kubelet renews its Lease after a quarter of its duration. Upstream: pkg/kubelet/kubelet.go. */
const RENEWALS_A_LEASE = 4
/** The heartbeat of a kubelet of a release without Leases: the interval of its status updates. */
const STATUS_SECONDS = 10

const numberOf = (values: SettingValues, key: string, fallback: number): number => {
  const value = values[key]
  return typeof value === "number" ? value : fallback
}

/** Returns the settings by which the control plane of a plan handles lost nodes. */
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
  ...(release.podEviction === "deletion"
    ? {
        evictionTimeout:
          numberOf(controllerManager, "podEvictionTimeoutMs", release.podEvictionTimeoutSeconds * 1000) / 1000
      }
    : {}),
  toleration: numberOf(apiServer, "defaultUnreachableTolerationSeconds", 300),
  notReadyToleration: numberOf(apiServer, "defaultNotReadyTolerationSeconds", 300),
  leaderElect: elections.controllerManager.leaderElect,
  leaseDuration: elections.controllerManager.leaseDurationMs / 1000,
  renewDeadline: elections.controllerManager.renewDeadlineMs / 1000,
  runtimeCheck: modelUpstream.runtimeCheckMs / 1000,
  runtimeDownAfter: modelUpstream.runtimeDownAfterMs / 1000
})
