import type { Release } from "@rollcall/api"
import { booleanValue, durationValue, type Given, integerValue, numberValue, setting } from "@rollcall/input"
import { type NodeLifecycleSettings, nodeLifecycleSettings, podGcSettings } from "@rollcall/node-controller"
import { defaultBinderSettings, defaultDetachSettings } from "@rollcall/volumes"
import { clientSettings } from "./clientSettings.ts"
import { ipamSettings } from "./ipam.ts"
import { workloadSettings } from "./workloads.ts"

const lifecycleDefault =
  <Key extends keyof NodeLifecycleSettings>(key: Key) =>
  (release: Release): NodeLifecycleSettings[Key] =>
    nodeLifecycleSettings({}, release)[key]

const lifecyclePath = (field: string) => `nodeLifecycleController.${field}`

/** The settings of kube-controller-manager's node lifecycle controller. */
export const lifecycleSettings = {
  nodeMonitorPeriodMs: setting(
    durationValue,
    { flag: "node-monitor-period", path: "kubeCloudShared.nodeMonitorPeriod" },
    lifecycleDefault("nodeMonitorPeriodMs")
  ),
  nodeMonitorGracePeriodMs: setting(
    durationValue,
    { flag: "node-monitor-grace-period", path: lifecyclePath("nodeMonitorGracePeriod") },
    lifecycleDefault("nodeMonitorGracePeriodMs")
  ),
  nodeStartupGracePeriodMs: setting(
    durationValue,
    { flag: "node-startup-grace-period", path: lifecyclePath("nodeStartupGracePeriod") },
    lifecycleDefault("nodeStartupGracePeriodMs")
  ),
  nodeEvictionRate: setting(
    numberValue({ min: 0 }),
    { flag: "node-eviction-rate", path: lifecyclePath("nodeEvictionRate") },
    lifecycleDefault("nodeEvictionRate")
  ),
  secondaryNodeEvictionRate: setting(
    numberValue({ min: 0 }),
    { flag: "secondary-node-eviction-rate", path: lifecyclePath("secondaryNodeEvictionRate") },
    lifecycleDefault("secondaryNodeEvictionRate")
  ),
  largeClusterSizeThreshold: setting(
    integerValue(),
    { flag: "large-cluster-size-threshold", path: lifecyclePath("largeClusterSizeThreshold") },
    lifecycleDefault("largeClusterSizeThreshold")
  ),
  unhealthyZoneThreshold: setting(
    numberValue({ min: 0, max: 1 }),
    { flag: "unhealthy-zone-threshold", path: lifecyclePath("unhealthyZoneThreshold") },
    lifecycleDefault("unhealthyZoneThreshold")
  ),
  podEvictionTimeoutMs: setting(
    durationValue,
    { flag: "pod-eviction-timeout", path: lifecyclePath("podEvictionTimeout") },
    // Without effect, and without a default, where taint eviction removes pods after their own tolerationSeconds.
    (release) => (release.podEviction === "deletion" ? lifecycleDefault("podEvictionTimeoutMs")(release) : undefined)
  )
}

/**
 * The supported settings of kube-controller-manager: `flag` is the name on the command line, `path` the field of a
 * KubeControllerManagerConfiguration.
 */
export const controllerManagerSettings = {
  ...lifecycleSettings,
  terminatedPodGCThreshold: setting(
    integerValue(),
    { flag: "terminated-pod-gc-threshold", path: "podGCController.terminatedPodGCThreshold" },
    () => podGcSettings().terminatedPodGCThreshold
  ),
  disableForceDetachOnTimeout: setting(
    booleanValue,
    { flag: "disable-force-detach-on-timeout", path: "attachDetachController.disableForceDetachOnTimeout" },
    () => defaultDetachSettings.disableForceDetachOnTimeout
  ),
  pvClaimBinderSyncPeriodMs: setting(
    durationValue,
    { flag: "pvclaimbinder-sync-period", path: "persistentVolumeBinderController.pvClaimBinderSyncPeriod" },
    () => defaultBinderSettings.syncPeriodMs
  ),
  ...workloadSettings,
  ...ipamSettings,
  ...clientSettings("generic.clientConnection", { qps: 20, burst: 30 })
}

/** The given settings of kube-controller-manager. */
export interface ControllerManagerSettings extends Given<typeof controllerManagerSettings> {}

/** The default tolerationSeconds of pods on a lost node. Upstream: plugin/pkg/admission/defaulttolerationseconds. */
const TOLERATION_SECONDS = 300

const tolerationSettings = (pathOf: (key: string, flag: string) => string) => {
  const seconds = (key: string, flag: string) =>
    setting(integerValue(), { flag, path: pathOf(key, flag) }, () => TOLERATION_SECONDS)
  return {
    defaultNotReadyTolerationSeconds: seconds(
      "defaultNotReadyTolerationSeconds",
      "default-not-ready-toleration-seconds"
    ),
    defaultUnreachableTolerationSeconds: seconds(
      "defaultUnreachableTolerationSeconds",
      "default-unreachable-toleration-seconds"
    )
  }
}

/** kube-apiserver has no configuration file: a scenario uses the names of its flags. */
export const apiServerSettings = tolerationSettings((_, flag) => flag)

/** The same settings by the names of their fields, as recordings write them. */
export const apiServerFieldSettings = tolerationSettings((key) => key)

/** The given settings of kube-apiserver. */
export interface ApiServerSettings extends Given<typeof apiServerSettings> {}

/** The settings of kube-scheduler's process; `readPlacing` reads how it places pods. */
export const schedulerSettings = clientSettings("clientConnection", { qps: 50, burst: 100 })

/** The given settings of kube-scheduler's process. */
export interface SchedulerSettings extends Given<typeof schedulerSettings> {}
