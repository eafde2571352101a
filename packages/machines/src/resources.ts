import { type Pod, type Release, type ResourceList, value } from "@rollcall/api"
import { type KubeletConfig, reservationStartProblem, swapStartProblem } from "@rollcall/kubelet"
import {
  type Checkpoint,
  type MachineTopology,
  makeResourceManagers,
  type ResourceManagers,
  usesResourceManagers
} from "@rollcall/topology"
import * as Result from "effect/Result"
import { machineOf } from "./groups/topology.ts"

/** The resources that the managers of a machine's kubelet divide. */
export interface ManagedResources {
  readonly config: KubeletConfig
  readonly capacity: ResourceList
  readonly topology?: MachineTopology | undefined
  /** Absent: no swap. */
  readonly swapBytes?: number
  /** Where the managers keep their state, for a kubelet that always has managers; absent: in the machine. */
  readonly checkpoint?: Checkpoint | undefined
}

/** The default: one socket, one NUMA node and no hyper-threads. */
const plainMachine = ({ cpu = "0", memory = "0" }: ResourceList): MachineTopology =>
  machineOf({ coresPerNumaNode: Math.max(1, value(cpu)), memoryPerNumaNode: value(memory) })

/**
 * Makes the topology, CPU and memory managers of a machine, if its kubelet is configured to have any. Fails where that
 * kubelet would not start. Their state lasts as long as the machine: a restarted kubelet restores it from the
 * checkpoints.
 */
export const managersOf = (
  { capacity, checkpoint, config, topology }: ManagedResources,
  activePods: () => ReadonlyArray<Pod> | undefined,
  now?: () => number
): Result.Result<ResourceManagers | undefined, string> =>
  checkpoint !== undefined || usesResourceManagers(config)
    ? makeResourceManagers({
        machine: topology ?? plainMachine(capacity),
        config,
        activePods,
        ...(checkpoint === undefined ? {} : { checkpoint }),
        ...(now === undefined ? {} : { now })
      })
    : Result.succeed(undefined)

/** Why kubelets of a release do not start on such machines; undefined: they do. */
export const refusedResources = (resources: ManagedResources, release: Release): string | undefined => {
  const reserved =
    swapStartProblem(resources, resources.config, release) ?? reservationStartProblem(resources, resources.config)
  if (reserved !== undefined) return reserved
  const managers = managersOf(resources, () => [])
  return Result.isFailure(managers) ? managers.failure : undefined
}
