import type { Release } from "@rollcall/api"
import type { SettingValues } from "@rollcall/input"
import { cloudSettings, defaultIpamFlags, nodeLifecycleSettings, podGcSettings } from "@rollcall/node-controller"
import { defaultBinderSettings, defaultDetachSettings } from "@rollcall/volumes"

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
    terminatedPodGCThreshold: podGcSettings().terminatedPodGCThreshold,
    disableForceDetachOnTimeout: defaultDetachSettings.disableForceDetachOnTimeout,
    pvClaimBinderSyncPeriodMs: defaultBinderSettings.syncPeriodMs,
    ...defaultIpamFlags,
    qps: 20,
    burst: 30
  }
}

/** The same of cloud-controller-manager. */
export const cloudConfig = (release: Release): SettingValues => ({ ...cloudSettings({}, release) })
