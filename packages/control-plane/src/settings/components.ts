import type { Setting } from "@rollcall/input"
import { ipamSettings } from "./ipam.ts"

/**
 * What of each component's configuration a rehearsal honours: `flag` is the command line's name, `path` the field of the
 * configuration file (KubeControllerManagerConfiguration, KubeSchedulerConfiguration).
 */
export const controllerManagerSettings: ReadonlyArray<Setting> = [
  {
    key: "nodeMonitorPeriodMs",
    flag: "node-monitor-period",
    path: "kubeCloudShared.nodeMonitorPeriod",
    type: "duration"
  },
  {
    key: "nodeMonitorGracePeriodMs",
    flag: "node-monitor-grace-period",
    path: "nodeLifecycleController.nodeMonitorGracePeriod",
    type: "duration"
  },
  {
    key: "nodeStartupGracePeriodMs",
    flag: "node-startup-grace-period",
    path: "nodeLifecycleController.nodeStartupGracePeriod",
    type: "duration"
  },
  {
    key: "nodeEvictionRate",
    flag: "node-eviction-rate",
    path: "nodeLifecycleController.nodeEvictionRate",
    type: "number",
    least: 0
  },
  {
    key: "secondaryNodeEvictionRate",
    flag: "secondary-node-eviction-rate",
    path: "nodeLifecycleController.secondaryNodeEvictionRate",
    type: "number",
    least: 0
  },
  {
    key: "largeClusterSizeThreshold",
    flag: "large-cluster-size-threshold",
    path: "nodeLifecycleController.largeClusterSizeThreshold",
    type: "integer"
  },
  {
    key: "unhealthyZoneThreshold",
    flag: "unhealthy-zone-threshold",
    path: "nodeLifecycleController.unhealthyZoneThreshold",
    type: "number",
    least: 0,
    most: 1
  },
  {
    key: "podEvictionTimeoutMs",
    flag: "pod-eviction-timeout",
    path: "nodeLifecycleController.podEvictionTimeout",
    type: "duration"
  },
  {
    key: "terminatedPodGCThreshold",
    flag: "terminated-pod-gc-threshold",
    path: "podGCController.terminatedPodGCThreshold",
    type: "integer"
  },
  {
    key: "disableForceDetachOnTimeout",
    flag: "disable-force-detach-on-timeout",
    path: "attachDetachController.disableForceDetachOnTimeout",
    type: "boolean"
  },
  {
    key: "pvClaimBinderSyncPeriodMs",
    flag: "pvclaimbinder-sync-period",
    path: "persistentVolumeBinderController.pvClaimBinderSyncPeriod",
    type: "duration"
  },
  ...ipamSettings,
  { key: "qps", flag: "kube-api-qps", path: "generic.clientConnection.qps", type: "number" },
  { key: "burst", flag: "kube-api-burst", path: "generic.clientConnection.burst", type: "integer" }
]

export const apiServerSettings: ReadonlyArray<Setting> = [
  {
    key: "defaultNotReadyTolerationSeconds",
    flag: "default-not-ready-toleration-seconds",
    path: "default-not-ready-toleration-seconds",
    type: "integer"
  },
  {
    key: "defaultUnreachableTolerationSeconds",
    flag: "default-unreachable-toleration-seconds",
    path: "default-unreachable-toleration-seconds",
    type: "integer"
  }
]

/** The same settings by the names of their fields, as recordings write them. */
export const apiServerFieldSettings: ReadonlyArray<Setting> = apiServerSettings.map((setting) => ({
  ...setting,
  path: setting.key
}))

/** Of the process; how it places pods is read by `readPlacing`. */
export const schedulerSettings: ReadonlyArray<Setting> = [
  { key: "qps", flag: "kube-api-qps", path: "clientConnection.qps", type: "number" },
  { key: "burst", flag: "kube-api-burst", path: "clientConnection.burst", type: "integer" }
]
