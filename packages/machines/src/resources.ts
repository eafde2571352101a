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

/** What of a machine its kubelet's resource managers go by. */
export interface ManagedResources {
  readonly config: KubeletConfig
  readonly capacity: ResourceList
  readonly topology?: MachineTopology | undefined
  /** Absent: it has none. */
  readonly swapBytes?: number
  /** Where what they hand out is kept, for a kubelet that always has managers; absent: with the machine. */
  readonly checkpoint?: Checkpoint | undefined
}

/** A machine of which nothing more is said has one socket, one NUMA node and no hyper-threads. */
const plainMachine = ({ cpu = "0", memory = "0" }: ResourceList): MachineTopology =>
  machineOf({ coresPerNumaNode: Math.max(1, value(cpu)), memoryPerNumaNode: value(memory) })

/**
 * The topology, CPU and memory managers of a machine, if its kubelet is configured to have any. A failure is what would keep that kubelet
 * from starting. What they hand out lasts as long as the machine: a restarted kubelet finds it in their checkpoints.
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

/** Why kubelets of a release would not start on such machines; undefined: they would. */
export const refusedResources = (resources: ManagedResources, release: Release): string | undefined => {
  const reserved =
    swapStartProblem(resources, resources.config, release) ?? reservationStartProblem(resources, resources.config)
  if (reserved !== undefined) return reserved
  const managers = managersOf(resources, () => [])
  return Result.isFailure(managers) ? managers.failure : undefined
}
