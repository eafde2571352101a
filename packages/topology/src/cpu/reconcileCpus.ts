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
 * The running containers whose CPUs, exclusive or shared, differ from the last written set. Waiting containers have no
 * cgroup yet; terminated ones may start again with their assignment.
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
