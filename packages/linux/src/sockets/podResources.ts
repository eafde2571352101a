import type { MessageInitShape } from "@bufbuild/protobuf"
import type { Pod } from "@rollcall/api"
import type { ContainerClaimDevices, Kubelet } from "@rollcall/kubelet"
import type { Device, DeviceInventory, MemoryBlock, ResourceManagers } from "@rollcall/topology"
import type {
  AllocatableResourcesResponseSchema,
  ContainerDevicesSchema,
  ContainerMemorySchema,
  DynamicResourceSchema,
  PodResourcesSchema
} from "../generated/podresources_pb.ts"

/** Upstream: pkg/kubelet/apis/podresources/server_v1.go, and the conversions in pkg/kubelet/cm/container_manager.go. */

/** The managers that have assigned a node's resources. */
export type Assigned = Pick<ResourceManagers, "devices" | "cpu" | "memory">

type Devices = ReadonlyArray<MessageInitShape<typeof ContainerDevicesSchema>>

const bigints = (ids: ReadonlyArray<number>): Array<bigint> => ids.map(BigInt)
const topologyOf = (nodes: ReadonlyArray<number>) => ({ nodes: bigints(nodes).map((ID) => ({ ID })) })

/** One entry for each device, and for each NUMA node of it. */
const entriesOf = (resourceName: string, { id, numaNodes }: Pick<Device, "id" | "numaNodes">): Devices =>
  numaNodes.length === 0
    ? [{ resourceName, deviceIds: [id] }]
    : numaNodes.map((node) => ({ resourceName, deviceIds: [id], topology: topologyOf([node]) }))

const memoryOf = (blocks: ReadonlyArray<MemoryBlock>): Array<MessageInitShape<typeof ContainerMemorySchema>> =>
  blocks.map(({ numaAffinity, size, type }) => ({
    memoryType: type,
    size: BigInt(size),
    topology: topologyOf(numaAffinity)
  }))

const assignedDevices = (
  assigned: Readonly<Record<string, ReadonlyArray<string>>>,
  inventory: DeviceInventory
): Array<Devices[number]> =>
  Object.entries(assigned).flatMap(([resource, ids]) => {
    const known = new Map((inventory[resource] ?? []).map((device) => [device.id, device]))
    return ids.flatMap((id) => entriesOf(resource, known.get(id) ?? { id, numaNodes: [] }))
  })

type DynamicResource = MessageInitShape<typeof DynamicResourceSchema>

/** The devices of a claim. A device has the CDI names of the devices before it of its driver too, as upstream. */
const dynamicResourceOf = ({ devices, name, namespace }: ContainerClaimDevices): DynamicResource => {
  const cdiOf = new Map<string, Array<{ readonly name: string }>>()
  const claimResources = devices.map(([driverName, { cdiDeviceIDs, deviceName, poolName, shareID }]) => {
    const cdiDevices = [...(cdiOf.get(driverName) ?? []), ...cdiDeviceIDs.map((id) => ({ name: id }))]
    cdiOf.set(driverName, cdiDevices)
    return { cdiDevices, driverName, poolName, deviceName, ...(shareID === undefined ? {} : { shareId: shareID }) }
  })
  return { claimName: name, claimNamespace: namespace, claimResources }
}

/** The resources of a pod's containers and sidecars. */
export const podResourcesOf = (
  pod: Pod,
  { cpu, devices, memory }: Assigned,
  claimsOf: Kubelet["claimsOf"]
): MessageInitShape<typeof PodResourcesSchema> => {
  const {
    metadata: { name = "", namespace = "", uid = "" },
    spec
  } = pod
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always")
  const exclusive = cpu.state().containers.get(uid)
  return {
    name,
    namespace,
    containers: [...sidecars, ...spec.containers].map((container) => ({
      name: container.name,
      devices: assignedDevices(devices.devicesOf(uid, container.name), devices.inventory()),
      cpuIds: bigints(exclusive?.get(container.name)?.ids ?? []),
      memory: memoryOf(memory.blocksOf(uid, container.name)),
      dynamicResources: claimsOf(pod, container.name).map(dynamicResourceOf)
    }))
  }
}

/** What the node has for containers, whether it is in use or not. */
export const allocatableOf = ({
  cpu,
  devices,
  memory
}: Assigned): MessageInitShape<typeof AllocatableResourcesResponseSchema> => ({
  devices: Object.entries(devices.inventory()).flatMap(([resource, all]) =>
    all.filter(({ healthy }) => healthy).flatMap((device) => entriesOf(resource, device))
  ),
  cpuIds: bigints(cpu.allocatable.ids),
  memory: memoryOf(memory.allocatable())
})
