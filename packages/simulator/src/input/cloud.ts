import type { Release } from "@rollcall/api"
import type { Problem } from "@rollcall/input"
import type { CloudProviderSpec, FaultName } from "@rollcall/machines"

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
