import type { Node } from "@rollcall/api"
import { type KubeletConfig, type KubeletModel, modelRecorded, modelUpstream, PodRuntimes } from "@rollcall/kubelet"
import {
  DEFAULT_CAPACITY,
  initialHealth,
  type Machine,
  type MachineSpec,
  type MachinesShape,
  machinesOfGroup,
  ownPodRange
} from "@rollcall/machines"
import type { Plan } from "../input/Plan.ts"

/** Modelled pods of a recorded run start this long after their creation. */
const RECORDED_START_MS = 50

/** Returns the kubelet model of a plan. */
export const modelOf = ({ driver }: Pick<Plan, "driver">): KubeletModel => {
  if (driver === undefined) return { ...modelUpstream, leaseSpread: true }
  const { leaseRenewSeconds } = driver
  return leaseRenewSeconds === undefined
    ? modelRecorded
    : { ...modelRecorded, leaseIntervalMs: leaseRenewSeconds * 1000 }
}

/** The default layer of pod runtimes for the machines of a plan. */
export const modelledRuntimesOf = ({ driver }: Pick<Plan, "driver">) =>
  PodRuntimes.layerModelled(
    driver === undefined ? {} : { startMs: RECORDED_START_MS, stopMs: (driver.podTerminateSeconds ?? 1) * 1000 }
  )

/** Makes all machines of a plan, not started yet: one for each node of its groups and for each Node of its snapshot and manifests. */
export const makeFleet = (plan: Plan, machines: MachinesShape): ReadonlyArray<Machine> => {
  const { driver } = plan
  const reportSeconds = driver?.statusHeartbeatSeconds
  const recordedConfig: Partial<KubeletConfig> =
    driver === undefined
      ? {}
      : {
          nodeStatusReportFrequencyMs:
            reportSeconds === undefined || reportSeconds === 0 ? Number.POSITIVE_INFINITY : reportSeconds * 1000
        }
  // These machines are not new: their networks are ready before the run assigns pod CIDRs to their Nodes.
  const ranges = new Set<number>()
  const make = (spec: MachineSpec) => machines.make({ ...spec, podCIDR: ownPodRange(spec.name, ranges) })
  const grouped = plan.groups.flatMap((group) => machinesOfGroup(group, recordedConfig).map(make))
  const shared: KubeletConfig = { ...plan.kubelet, ...recordedConfig }
  const nodesOf = (objects: Plan["objects"]) =>
    objects.flatMap(({ kind, object }) => (kind === "Node" ? [object as Node] : []))
  const healths = new Map(
    nodesOf(plan.snapshot).map((node) => [node, initialHealth(node, plan.silentNodes.has(node.metadata.name ?? ""))])
  )
  const nodeObjects = [...nodesOf(plan.snapshot), ...nodesOf(plan.objects)]
  return [
    ...grouped,
    ...nodeObjects.map((node) => {
      const health = healths.get(node)
      // A kubelet without all basic resources is not ready, so capacity that the snapshot lacks gets a default.
      return make({
        ...(health === undefined ? {} : { health }),
        name: node.metadata.name ?? "",
        group: undefined,
        config: shared,
        capacity: { ...DEFAULT_CAPACITY, ...node.status?.capacity },
        // The swap of this machine comes from its own Node status, not from the plan's defaults.
        swapBytes: node.status?.nodeInfo?.swap?.capacity ?? 0,
        node
      })
    })
  ]
}
