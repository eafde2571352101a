import { defaultRelease, type Release } from "@rollcall/api"

/** How the controllers of a cloud run; names are those of cloud-controller-manager's flags. */
export interface CloudSettings {
  /** `--node-monitor-period`: the pause between two looks at nodes that are not Ready. */
  readonly nodeMonitorPeriodMs: number
  /** `--node-status-update-frequency`: the pause between two updates of all addresses. */
  readonly nodeStatusUpdateFrequencyMs: number
  /** `--concurrent-node-syncs` */
  readonly concurrentNodeSyncs: number
  /** `--concurrent-node-status-updates`; 0: as many as syncs. */
  readonly concurrentNodeStatusUpdates: number
  /**
   * How a node leaves whose machine is gone: the Node alone is deleted, or, by the node controller of old, its pods first and
   * with force. Nodes of old get no taint while their machines are off.
   */
  readonly goneNodes: "delete" | "deleteWithPods"
}

export const cloudSettings = (
  given: Partial<CloudSettings> = {},
  release: Release = defaultRelease
): CloudSettings => ({
  nodeMonitorPeriodMs: 5000,
  nodeStatusUpdateFrequencyMs: 300_000,
  concurrentNodeSyncs: 1,
  concurrentNodeStatusUpdates: 0,
  goneNodes: release.cloudControllers === "nodeController" ? "deleteWithPods" : "delete",
  ...given
})
