import { type Container, type Pod, podLimits, value } from "@rollcall/api"
import * as Result from "effect/Result"
import {
  type AffinityStore,
  type AllocateFailure,
  allocateFailure,
  type HintLists,
  type HintProvider,
  type TopologyHint
} from "../hints.ts"
import type { MachineTopology } from "../MachineTopology.ts"
import { isRegularInitContainer } from "../podResources.ts"
import { chooseDevices } from "./chooseDevices.ts"
import { type Device, type DeviceInventory, deviceHints, hasNumaAffinity } from "./deviceHints.ts"

export interface DeviceManagerOptions {
  readonly machine: Pick<MachineTopology, "numaNodes">
  readonly devices: DeviceInventory
  readonly affinity: AffinityStore
}

/** Allocates the devices of modelled plugins. Upstream: pkg/kubelet/cm/devicemanager. */
export interface DeviceManager extends HintProvider {
  /** A plugin updates its devices; containers keep theirs. */
  readonly setDevices: (resource: string, devices: ReadonlyArray<Device>) => void
  /** The number of devices, by resource. */
  readonly capacity: () => Readonly<Record<string, number>>
  /** The number of healthy devices, by resource. */
  readonly allocatable: () => Readonly<Record<string, number>>
  /** Ids by resource. */
  readonly devicesOf: (podUid: string, containerName: string) => Readonly<Record<string, ReadonlyArray<string>>>
}

type Held = Record<string, ReadonlyArray<string>>

const nothing: ReadonlySet<string> = new Set()
const uidOf = (pod: Pod): string => pod.metadata.uid ?? ""

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one table of devices, and the calls of the kubelet on it.
export const makeDeviceManager = (options: DeviceManagerOptions): DeviceManager => {
  const { affinity, machine } = options
  const machineNodes = machine.numaNodes.map(({ id }) => id).sort((a, b) => a - b)
  const inventory: Record<string, ReadonlyArray<Device>> = { ...options.devices }
  const pods = new Map<string, Map<string, Held>>()
  let reuse: { readonly podUid: string; readonly devices: Map<string, Set<string>> } | undefined

  const all = (resource: string): ReadonlyArray<Device> => inventory[resource] ?? []
  const idsOf = (holders: Iterable<Held>, resource: string): ReadonlySet<string> =>
    new Set([...holders].flatMap((held) => held[resource] ?? []))
  const inUse = (resource: string): ReadonlySet<string> =>
    idsOf(
      [...pods.values()].flatMap((containers) => [...containers.values()]),
      resource
    )
  const available = (resource: string): ReadonlySet<string> => {
    const used = inUse(resource)
    return new Set(all(resource).flatMap(({ healthy, id }) => (healthy && !used.has(id) ? [id] : [])))
  }
  const reusableBy = (pod: Pod, resource: string): ReadonlySet<string> =>
    (reuse?.podUid === uidOf(pod) ? reuse.devices.get(resource) : undefined) ?? nothing

  const hintsFor = (
    resource: string,
    count: number,
    held: ReadonlySet<string>,
    reusable: ReadonlySet<string>
  ): ReadonlyArray<TopologyHint> | null => {
    if (!hasNumaAffinity(all(resource))) return null
    if (held.size > 0) {
      return held.size === count ? deviceHints(all(resource), machineNodes, held, nothing, count) : []
    }
    const free = available(resource)
    if (new Set([...free, ...reusable]).size < count) return []
    return deviceHints(all(resource), machineNodes, free, reusable, count)
  }

  /** Requests for resources that plugins have registered. */
  const requestsOf = ({ resources }: Container): ReadonlyArray<readonly [string, number]> =>
    Object.entries(resources?.limits ?? {}).flatMap(([resource, quantity]) =>
      inventory[resource] === undefined ? [] : [[resource, value(quantity)] as const]
    )

  const noteReuse = (pod: Pod, container: Container, held: Held): void => {
    if (reuse?.podUid !== uidOf(pod)) reuse = { podUid: uidOf(pod), devices: new Map() }
    const leaves = isRegularInitContainer(pod, container)
    for (const [resource, ids] of Object.entries(held)) {
      const devices = reuse.devices.get(resource) ?? new Set()
      for (const id of ids)
        if (leaves) devices.add(id)
        else devices.delete(id)
      reuse.devices.set(resource, devices)
    }
  }

  const allocateOne = (
    pod: Pod,
    container: Container,
    resource: string,
    count: number
  ): Result.Result<ReadonlyArray<string>, string> => {
    const held = pods.get(uidOf(pod))?.get(container.name)?.[resource]
    if (held === undefined) {
      const { mask } = affinity.getAffinity(uidOf(pod), container.name)
      const reusable = reusableBy(pod, resource)
      return chooseDevices({ resource, count, mask, all: all(resource), inUse: inUse(resource), reusable })
    }
    if (held.length !== count) {
      const who = `pod ${JSON.stringify(uidOf(pod))} container ${JSON.stringify(container.name)}`
      return Result.fail(
        `${who} changed request for resource ${JSON.stringify(resource)} from ${held.length} to ${count}`
      )
    }
    const healthy = new Set(all(resource).flatMap((device) => (device.healthy ? [device.id] : [])))
    return held.every((id) => healthy.has(id))
      ? Result.succeed(held)
      : Result.fail(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`)
  }

  const allocate = (pod: Pod, container: Container): AllocateFailure | undefined => {
    const held: Held = {}
    for (const [resource, count] of requestsOf(container)) {
      const chosen = allocateOne(pod, container, resource, count)
      if (Result.isFailure(chosen)) return allocateFailure(chosen.failure)
      if (chosen.success.length > 0) held[resource] = chosen.success
    }
    if (Object.keys(held).length > 0) {
      const containers = pods.get(uidOf(pod))
      if (containers === undefined) pods.set(uidOf(pod), new Map([[container.name, held]]))
      else containers.set(container.name, held)
    }
    noteReuse(pod, container, held)
    return undefined
  }

  const getTopologyHints = (pod: Pod, container: Container): HintLists =>
    Object.fromEntries(
      requestsOf(container).map(([resource, count]) => {
        const held = pods.get(uidOf(pod))?.get(container.name)?.[resource]
        return [resource, hintsFor(resource, count, new Set(held), reusableBy(pod, resource))]
      })
    )

  const getPodTopologyHints = (pod: Pod): HintLists =>
    Object.fromEntries(
      Object.entries(podLimits(pod, { excludeOverhead: true })).flatMap(([resource, amount]) => {
        if (inventory[resource] === undefined) return []
        const held = idsOf(pods.get(uidOf(pod))?.values() ?? [], resource)
        return [[resource, hintsFor(resource, value(amount), held, nothing)] as const]
      })
    )

  const counts = (counted: (device: Device) => boolean) => () =>
    Object.fromEntries(
      Object.entries(inventory).map(([resource, devices]) => [resource, devices.filter(counted).length])
    )

  return {
    name: "device",
    getTopologyHints,
    getPodTopologyHints,
    allocate,
    removeStale: (active) => {
      for (const uid of pods.keys()) if (!active.has(uid)) pods.delete(uid)
      if (reuse !== undefined && !active.has(reuse.podUid)) reuse = undefined
    },
    setDevices: (resource, devices) => {
      inventory[resource] = devices
    },
    capacity: counts(() => true),
    allocatable: counts(({ healthy }) => healthy),
    devicesOf: (podUid, containerName) => pods.get(podUid)?.get(containerName) ?? {}
  }
}
