import type { Release } from "@rollcall/api"
import {
  cloudSettings,
  defaultDetachSettings,
  defaultIpamFlags,
  nodeLifecycleSettings,
  podGcSettings
} from "@rollcall/node-controller"
import type { Setting, SettingValues } from "@rollcall/simulator/world"
import type { LeaderFlags } from "./whileLeading.ts"

/** What kube-controller-manager goes by where nobody says otherwise, by the keys of its settings. */
export const managerConfig = (release: Release): SettingValues => {
  const lifecycle = nodeLifecycleSettings({}, release)
  return {
    nodeMonitorPeriodMs: lifecycle.nodeMonitorPeriodMs,
    nodeMonitorGracePeriodMs: lifecycle.nodeMonitorGracePeriodMs,
    nodeStartupGracePeriodMs: lifecycle.nodeStartupGracePeriodMs,
    nodeEvictionRate: lifecycle.nodeEvictionRate,
    secondaryNodeEvictionRate: lifecycle.secondaryNodeEvictionRate,
    largeClusterSizeThreshold: lifecycle.largeClusterSizeThreshold,
    unhealthyZoneThreshold: lifecycle.unhealthyZoneThreshold,
    terminatedPodGCThreshold: podGcSettings({}, release).terminatedPodGCThreshold,
    disableForceDetachOnTimeout: defaultDetachSettings.disableForceDetachOnTimeout,
    ...defaultIpamFlags,
    qps: 20,
    burst: 30
  }
}

/** The same of cloud-controller-manager. */
export const cloudConfig = (release: Release): SettingValues => ({ ...cloudSettings({}, release) })

/** Where a component's configuration has what its flags say of leader election. */
export const leaderElectionFields = (path: string): ReadonlyArray<Setting> => [
  { key: "leaderElect", path: `${path}.leaderElect`, type: "boolean" },
  { key: "leaseDurationMs", path: `${path}.leaseDuration`, type: "duration" },
  { key: "renewDeadlineMs", path: `${path}.renewDeadline`, type: "duration" },
  { key: "retryPeriodMs", path: `${path}.retryPeriod`, type: "duration" },
  { key: "resourceLock", path: `${path}.resourceLock`, type: "text" },
  { key: "resourceName", path: `${path}.resourceName`, type: "text" },
  { key: "resourceNamespace", path: `${path}.resourceNamespace`, type: "text" }
]

export const leaderElectionConfig = (flags: LeaderFlags): SettingValues => ({
  leaderElect: flags["leader-elect"],
  leaseDurationMs: flags["leader-elect-lease-duration"],
  renewDeadlineMs: flags["leader-elect-renew-deadline"],
  retryPeriodMs: flags["leader-elect-retry-period"],
  resourceLock: "leases",
  resourceName: flags["leader-elect-resource-name"],
  resourceNamespace: flags["leader-elect-resource-namespace"]
})
