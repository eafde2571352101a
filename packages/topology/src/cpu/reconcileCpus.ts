import type { Pod } from "@rollcall/api"
import { containersOf } from "../podResources.ts"
import type { CpuSet } from "./CpuSet.ts"
import { type CpuState, cpusOwnedBy } from "./CpuState.ts"

/** What the runtime is to be told of a container. */
export interface CpuSetChange {
  readonly podUid: string
  readonly containerName: string
  readonly containerId: string
  readonly cpus: CpuSet
}

/** The sets that the runtime was last told, by pod uid and container name. */
export type WrittenCpuSets = ReadonlyMap<string, ReadonlyMap<string, CpuSet>>

/**
 * The running containers whose CPUs are not what they were last told: their own, else the shared ones. Containers that wait have no cgroup
 * yet; ended ones may start again with what they have. Upstream: pkg/kubelet/cm/cpumanager/cpu_manager.go reconcileState.
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
      const containerId = runningId(pod, name)
      const cpus = cpusOwnedBy(state, podUid, name) ?? state.shared
      if (containerId === undefined || cpus.isEmpty || written.get(podUid)?.get(name)?.equals(cpus)) continue
      changes.push({ podUid, containerName: name, containerId, cpus })
    }
  }
  return changes
}

const runningId = ({ status }: Pod, name: string): string | undefined => {
  const found =
    status?.initContainerStatuses?.find((container) => container.name === name) ??
    status?.containerStatuses?.find((container) => container.name === name)
  return found?.state?.running === undefined ? undefined : found.containerID
}
