import type { Release } from "@rollcall/api"
import { durationValue, integerValue, setting } from "@rollcall/input"
import { type CloudSettings, cloudSettings } from "@rollcall/node-controller"

const initial =
  <Key extends keyof CloudSettings>(key: Key) =>
  (release: Release): CloudSettings[Key] =>
    cloudSettings({}, release)[key]

/** The supported fields of cloud-controller-manager's configuration (CloudControllerManagerConfiguration). */
export const cloudControllerManagerSettings = {
  nodeMonitorPeriodMs: setting(
    durationValue,
    { flag: "node-monitor-period", path: "kubeCloudShared.nodeMonitorPeriod" },
    initial("nodeMonitorPeriodMs")
  ),
  nodeStatusUpdateFrequencyMs: setting(
    durationValue,
    { flag: "node-status-update-frequency", path: "nodeStatusUpdateFrequency" },
    initial("nodeStatusUpdateFrequencyMs")
  ),
  concurrentNodeSyncs: setting(
    integerValue(),
    { flag: "concurrent-node-syncs", path: "nodeController.concurrentNodeSyncs" },
    initial("concurrentNodeSyncs")
  ),
  concurrentNodeStatusUpdates: setting(
    integerValue(),
    { flag: "concurrent-node-status-updates", path: "nodeController.concurrentNodeStatusUpdates" },
    initial("concurrentNodeStatusUpdates")
  )
}
