import type { Release } from "@rollcall/api"
import type { Problem, Setting } from "@rollcall/input"
import type { CloudProviderSpec, FaultName } from "@rollcall/machines"

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

/** Kubelets on machines of a cloud leave it to its controllers to say what they are; those of old asked it themselves. */
export const withCloudFlag = (
  flags: ReadonlyArray<string>,
  cloud: CloudProviderSpec | undefined,
  { cloudControllers }: Release
): ReadonlyArray<string> =>
  cloud === undefined || cloudControllers !== "external" || flags.some((flag) => flag.startsWith("--cloud-provider"))
    ? flags
    : [...flags, "--cloud-provider=external"]

const cloudFaults: ReadonlyArray<FaultName> = ["cloud-delete", "cloud-deny", "cloud-error", "cloud-latency"]

/** Faults of a cloud need one. */
export const cloudProblems = (
  file: string,
  cloud: CloudProviderSpec | undefined,
  events: ReadonlyArray<{ readonly fault?: FaultName }> = []
): ReadonlyArray<Problem> =>
  cloud !== undefined
    ? []
    : events.flatMap(({ fault }, index) =>
        fault !== undefined && cloudFaults.includes(fault)
          ? [{ file, path: `spec.events[${index}].fault`, message: `${fault} needs spec.config.cloudProvider` }]
          : []
      )
