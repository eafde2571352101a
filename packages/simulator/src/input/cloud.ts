import type { Release } from "@rollcall/api"
import type { Problem } from "@rollcall/input"
import type { CloudProviderSpec, FaultName } from "@rollcall/machines"

/**
 * Returns the kubelet flags that a scenario's cloud sets. Kubelets of a release with external cloud controllers leave their
 * addresses and labels to those; kubelets of earlier releases ask the cloud themselves.
 */
export const cloudKubeletFlags = (
  cloud: CloudProviderSpec | undefined,
  { cloudControllers }: Release
): Readonly<Record<string, string>> =>
  cloud === undefined || cloudControllers !== "external" ? {} : { "cloud-provider": "external" }

const cloudFaults: ReadonlyArray<FaultName> = ["cloud-delete", "cloud-deny", "cloud-error", "cloud-latency"]

/** Returns a problem for each fault of a cloud, if the scenario has no cloud. */
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
