import type { Setting } from "@rollcall/input"

/** What of cloud-controller-manager's configuration (CloudControllerManagerConfiguration) is honoured. */
export const cloudControllerManagerSettings: ReadonlyArray<Setting> = [
  {
    key: "nodeMonitorPeriodMs",
    flag: "node-monitor-period",
    path: "kubeCloudShared.nodeMonitorPeriod",
    type: "duration"
  },
  {
    key: "nodeStatusUpdateFrequencyMs",
    flag: "node-status-update-frequency",
    path: "nodeStatusUpdateFrequency",
    type: "duration"
  },
  {
    key: "concurrentNodeSyncs",
    flag: "concurrent-node-syncs",
    path: "nodeController.concurrentNodeSyncs",
    type: "integer"
  },
  {
    key: "concurrentNodeStatusUpdates",
    flag: "concurrent-node-status-updates",
    path: "nodeController.concurrentNodeStatusUpdates",
    type: "integer"
  }
]
