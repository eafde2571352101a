import type { Release } from "@rollcall/api"
import { durationValue, integerValue, setting } from "@rollcall/input"
import { type CloudSettings, cloudSettings } from "@rollcall/node-controller"

const defaultOf =
  <Key extends keyof CloudSettings>(key: Key) =>
  (release: Release): CloudSettings[Key] =>
    cloudSettings({}, release)[key]

/** The supported fields of cloud-controller-manager's configuration (CloudControllerManagerConfiguration). */
export const cloudControllerManagerSettings = {
  nodeMonitorPeriodMs: setting(
    durationValue,
    { flag: "node-monitor-period", path: "kubeCloudShared.nodeMonitorPeriod" },
    defaultOf("nodeMonitorPeriodMs")
  ),
  nodeStatusUpdateFrequencyMs: setting(
    durationValue,
    { flag: "node-status-update-frequency", path: "nodeStatusUpdateFrequency" },
    defaultOf("nodeStatusUpdateFrequencyMs")
  ),
  concurrentNodeSyncs: setting(
    integerValue(),
    { flag: "concurrent-node-syncs", path: "nodeController.concurrentNodeSyncs" },
    defaultOf("concurrentNodeSyncs")
  ),
  concurrentNodeStatusUpdates: setting(
    integerValue(),
    { flag: "concurrent-node-status-updates", path: "nodeController.concurrentNodeStatusUpdates" },
    defaultOf("concurrentNodeStatusUpdates")
  )
}
