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
  /** Absent if the machine has no swap. */
  readonly swapBytes?: number
  /** Where the managers keep their state; with it the kubelet always has managers. Absent: they keep it in memory. */
  readonly checkpoint?: Checkpoint | undefined
}

/** Returns the topology of a machine that does not describe its own: one socket, one NUMA node, no hyper-threads. */
const uniformTopology = ({ cpu = "0", memory = "0" }: ResourceList): MachineTopology =>
  machineOf({ coresPerNumaNode: Math.max(1, value(cpu)), memoryPerNumaNode: value(memory) })

/**
 * Makes the topology, CPU and memory managers of a machine; undefined if its kubelet is configured to have none. Fails
 * with the kubelet's message if the kubelet would not start. The managers' state lasts as long as the machine: a
 * restarted kubelet restores it from the checkpoints.
 */
export const managersOf = (
  { capacity, checkpoint, config, topology }: ManagedResources,
  activePods: () => ReadonlyArray<Pod> | undefined,
  now?: () => number
): Result.Result<ResourceManagers | undefined, string> =>
  checkpoint !== undefined || usesResourceManagers(config)
    ? makeResourceManagers({
        machine: topology ?? uniformTopology(capacity),
        config,
        activePods,
        ...(checkpoint === undefined ? {} : { checkpoint }),
        ...(now === undefined ? {} : { now })
      })
    : Result.succeed(undefined)

/** Returns why kubelets of a release do not start on such a machine, or undefined if they do. */
export const refusedResources = (resources: ManagedResources, release: Release): string | undefined => {
  const problem =
    swapStartProblem(resources, resources.config, release) ?? reservationStartProblem(resources, resources.config)
  if (problem !== undefined) return problem
  const managers = managersOf(resources, () => [])
  return Result.isFailure(managers) ? managers.failure : undefined
}
