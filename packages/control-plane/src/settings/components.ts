import type { Release } from "@rollcall/api"
import { booleanValue, durationValue, type Given, integerValue, numberValue, setting } from "@rollcall/input"
import { type NodeLifecycleSettings, nodeLifecycleSettings, podGcSettings } from "@rollcall/node-controller"
import { defaultBinderSettings, defaultDetachSettings } from "@rollcall/volumes"
import { clientSettings } from "./clientSettings.ts"
import { ipamSettings } from "./ipam.ts"

const lifecycle =
  <Key extends keyof NodeLifecycleSettings>(key: Key) =>
  (release: Release): NodeLifecycleSettings[Key] =>
    nodeLifecycleSettings({}, release)[key]

const inLifecycle = (field: string) => `nodeLifecycleController.${field}`

/** What of kube-controller-manager's configuration is about nodes that are lost, and their pods. */
export const lifecycleSettings = {
  nodeMonitorPeriodMs: setting(
    durationValue,
    { flag: "node-monitor-period", path: "kubeCloudShared.nodeMonitorPeriod" },
    lifecycle("nodeMonitorPeriodMs")
  ),
  nodeMonitorGracePeriodMs: setting(
    durationValue,
    { flag: "node-monitor-grace-period", path: inLifecycle("nodeMonitorGracePeriod") },
    lifecycle("nodeMonitorGracePeriodMs")
  ),
  nodeStartupGracePeriodMs: setting(
    durationValue,
    { flag: "node-startup-grace-period", path: inLifecycle("nodeStartupGracePeriod") },
    lifecycle("nodeStartupGracePeriodMs")
  ),
  nodeEvictionRate: setting(
    numberValue({ least: 0 }),
    { flag: "node-eviction-rate", path: inLifecycle("nodeEvictionRate") },
    lifecycle("nodeEvictionRate")
  ),
  secondaryNodeEvictionRate: setting(
    numberValue({ least: 0 }),
    { flag: "secondary-node-eviction-rate", path: inLifecycle("secondaryNodeEvictionRate") },
    lifecycle("secondaryNodeEvictionRate")
  ),
  largeClusterSizeThreshold: setting(
    integerValue(),
    { flag: "large-cluster-size-threshold", path: inLifecycle("largeClusterSizeThreshold") },
    lifecycle("largeClusterSizeThreshold")
  ),
  unhealthyZoneThreshold: setting(
    numberValue({ least: 0, most: 1 }),
    { flag: "unhealthy-zone-threshold", path: inLifecycle("unhealthyZoneThreshold") },
    lifecycle("unhealthyZoneThreshold")
  ),
  podEvictionTimeoutMs: setting(
    durationValue,
    { flag: "pod-eviction-timeout", path: inLifecycle("podEvictionTimeout") },
    // Without effect, and without a default, where pods leave by their own tolerationSeconds.
    (release) => (release.podEviction === "deletion" ? lifecycle("podEvictionTimeoutMs")(release) : undefined)
  )
}

/**
 * What of kube-controller-manager's configuration has an effect: `flag` is the command line's name, `path` the field of a
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
  ...ipamSettings,
  ...clientSettings("generic.clientConnection", { qps: 20, burst: 30 })
}

/** What kube-controller-manager is told. */
export interface ControllerManagerSettings extends Given<typeof controllerManagerSettings> {}

/** Seconds that pods stay on a lost node unless they say otherwise. Upstream: plugin/pkg/admission/defaulttolerationseconds. */
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

/** kube-apiserver has no configuration file: in a scenario's it goes by the names of its flags. */
export const apiServerSettings = tolerationSettings((_, flag) => flag)

/** The same settings by the names of their fields, as recordings write them. */
export const apiServerFieldSettings = tolerationSettings((key) => key)

/** What kube-apiserver is told. */
export interface ApiServerSettings extends Given<typeof apiServerSettings> {}

/** Of kube-scheduler's process; how it places pods is read by `readPlacing`. */
export const schedulerSettings = clientSettings("clientConnection", { qps: 50, burst: 100 })

/** What kube-scheduler's process is told. */
export interface SchedulerSettings extends Given<typeof schedulerSettings> {}
