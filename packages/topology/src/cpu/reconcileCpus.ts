import type { Pod } from "@rollcall/api"
import { containersOf } from "../podResources.ts"
import type { CpuSet } from "./CpuSet.ts"
import { type CpuState, cpusOwnedBy } from "./CpuState.ts"

/** A container's CPU set to write to the runtime. */
export interface CpuSetChange {
  readonly podUid: string
  readonly containerName: string
  readonly containerId: string
  readonly cpus: CpuSet
}

/** The sets last written to the runtime, by pod uid and container name. */
export type WrittenCpuSets = ReadonlyMap<string, ReadonlyMap<string, CpuSet>>

/**
 * Returns the running containers whose CPUs, exclusive or shared, differ from the last written set. Containers that
 * wait have no cgroup yet, and containers that terminated may start again with their assignment, so both are left out.
 * Upstream: pkg/kubelet/cm/cpumanager/cpu_manager.go reconcileState.
 */
export const cpuSetChanges = (
  state: CpuState,
  pods: Iterable<Pod>,
  written: WrittenCpuSets
): ReadonlyArray<CpuSetChange> => {
  const changes: Array<CpuSetChange> = []
  for (const pod of pods) {
    const podUid = pod.metadata.uid ?? ""
    for (const { name } of containersOf(pod)) {
      const containerId = runningContainerId(pod, name)
      const cpus = cpusOwnedBy(state, podUid, name) ?? state.shared
      if (containerId === undefined || cpus.isEmpty || written.get(podUid)?.get(name)?.equals(cpus)) continue
      changes.push({ podUid, containerName: name, containerId, cpus })
    }
  }
  return changes
}

const runningContainerId = ({ status }: Pod, name: string): string | undefined => {
  const containerStatus =
    status?.initContainerStatuses?.find((container) => container.name === name) ??
    status?.containerStatuses?.find((container) => container.name === name)
  return containerStatus?.state?.running === undefined ? undefined : containerStatus.containerID
}
