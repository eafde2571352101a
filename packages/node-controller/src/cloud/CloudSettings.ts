import { defaultRelease, type Release } from "@rollcall/api"

/** The settings of the cloud controllers, under the flag names of cloud-controller-manager. */
export interface CloudSettings {
  /** `--node-monitor-period`: the pause between two checks of nodes that are not Ready. */
  readonly nodeMonitorPeriodMs: number
  /** `--node-status-update-frequency`: the pause between two updates of all addresses. */
  readonly nodeStatusUpdateFrequencyMs: number
  /** `--concurrent-node-syncs` */
  readonly concurrentNodeSyncs: number
  /** `--concurrent-node-status-updates`; 0 means the same number as `concurrentNodeSyncs`. */
  readonly concurrentNodeStatusUpdates: number
  /**
   * What happens to a node whose machine no longer exists: only the Node is deleted, or, as in the old node
   * controller, its pods first and with grace period 0. The old controller did not taint nodes of stopped machines.
   */
  readonly goneNodes: "delete" | "deleteWithPods"
}

/** Upstream's defaults for a release, with overrides. */
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
