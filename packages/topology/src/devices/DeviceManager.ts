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
import { type DevicePreference, preferenceOf, withPreferred } from "./preferredDevices.ts"

/** The dependencies of a device manager. */
export interface DeviceManagerOptions {
  readonly machine: Pick<MachineTopology, "numaNodes">
  readonly devices: DeviceInventory
  readonly affinity: AffinityStore
}

/** Allocates the devices of modelled plugins. Upstream: pkg/kubelet/cm/devicemanager. */
export interface DeviceManager extends HintProvider {
  /** Replaces the devices of a plugin. Containers keep theirs. */
  readonly setDevices: (resource: string, devices: ReadonlyArray<Device>) => void
  /** Forgets a plugin's resource, when its plugin has been gone for long. */
  readonly removeResource: (resource: string) => void
  /** Returns the devices of all plugins, by resource. */
  readonly inventory: () => DeviceInventory
  /** Returns the number of devices, by resource. */
  readonly capacity: () => Readonly<Record<string, number>>
  /** Returns the number of healthy devices, by resource. */
  readonly allocatable: () => Readonly<Record<string, number>>
  /** Returns the ids of a container's devices, by resource. */
  readonly devicesOf: (podUid: string, containerName: string) => Readonly<Record<string, ReadonlyArray<string>>>
  /** Returns what a plugin may still choose of a container's devices; undefined if there is no choice, or it was made. */
  readonly preferenceOf: (podUid: string, containerName: string, resource: string) => DevicePreference | undefined
  /** Gives a container the devices that its plugin prefers, as far as it may have them. */
  readonly prefer: (podUid: string, containerName: string, resource: string, ids: ReadonlyArray<string>) => void
}

/** The device ids of one container, by resource. */
type DevicesByResource = Record<string, ReadonlyArray<string>>

const noIds: ReadonlySet<string> = new Set()

const setIn = <A>(byPod: Map<string, Map<string, A>>, podUid: string, container: string, value: A): void => {
  const containers = byPod.get(podUid)
  if (containers === undefined) byPod.set(podUid, new Map([[container, value]]))
  else containers.set(container, value)
}

const uidOf = (pod: Pod): string => pod.metadata.uid ?? ""

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one table of devices, and the calls of the kubelet on it.
export const makeDeviceManager = (options: DeviceManagerOptions): DeviceManager => {
  const { affinity, machine } = options
  const machineNodes = machine.numaNodes.map(({ id }) => id).sort((a, b) => a - b)
  const inventory: Record<string, ReadonlyArray<Device>> = { ...options.devices }
  const pods = new Map<string, Map<string, DevicesByResource>>()
  /** By pod and container: the devices that it has of the pod's init containers, while the plugin has not chosen the others. */
  const open = new Map<string, Map<string, DevicesByResource>>()
  let reusablePod: { readonly podUid: string; readonly devices: Map<string, Set<string>> } | undefined

  const devicesOfResource = (resource: string): ReadonlyArray<Device> => inventory[resource] ?? []
  const idsOf = (containers: Iterable<DevicesByResource>, resource: string): ReadonlySet<string> =>
    new Set([...containers].flatMap((assigned) => assigned[resource] ?? []))
  const idsInUse = (resource: string): ReadonlySet<string> =>
    idsOf(
      [...pods.values()].flatMap((containers) => [...containers.values()]),
      resource
    )
  const available = (resource: string): ReadonlySet<string> => {
    const used = idsInUse(resource)
    return new Set(devicesOfResource(resource).flatMap(({ healthy, id }) => (healthy && !used.has(id) ? [id] : [])))
  }
  const reusableBy = (pod: Pod, resource: string): ReadonlySet<string> =>
    (reusablePod?.podUid === uidOf(pod) ? reusablePod.devices.get(resource) : undefined) ?? noIds

  const hintsFor = (
    resource: string,
    count: number,
    assigned: ReadonlySet<string>,
    reusable: ReadonlySet<string>
  ): ReadonlyArray<TopologyHint> | null => {
    if (!hasNumaAffinity(devicesOfResource(resource))) return null
    if (assigned.size > 0) {
      return assigned.size === count
        ? deviceHints(devicesOfResource(resource), machineNodes, assigned, noIds, count)
        : []
    }
    const free = available(resource)
    if (new Set([...free, ...reusable]).size < count) return []
    return deviceHints(devicesOfResource(resource), machineNodes, free, reusable, count)
  }

  /** Returns a container's requests of resources that plugins have registered, with the number of devices. */
  const requestsOf = ({ resources }: Container): ReadonlyArray<readonly [string, number]> =>
    Object.entries(resources?.limits ?? {}).flatMap(([resource, quantity]) =>
      inventory[resource] === undefined ? [] : [[resource, value(quantity)] as const]
    )

  const updateReusable = (pod: Pod, container: Container, assigned: DevicesByResource): void => {
    if (reusablePod?.podUid !== uidOf(pod)) reusablePod = { podUid: uidOf(pod), devices: new Map() }
    const isLeftToLaterContainers = isRegularInitContainer(pod, container)
    for (const [resource, ids] of Object.entries(assigned)) {
      const devices = reusablePod.devices.get(resource) ?? new Set()
      for (const id of ids)
        if (isLeftToLaterContainers) devices.add(id)
        else devices.delete(id)
      reusablePod.devices.set(resource, devices)
    }
  }

  const allocateResource = (
    pod: Pod,
    container: Container,
    resource: string,
    count: number
  ): Result.Result<ReadonlyArray<string>, string> => {
    const assigned = pods.get(uidOf(pod))?.get(container.name)?.[resource]
    if (assigned === undefined) {
      const { mask } = affinity.getAffinity(uidOf(pod), container.name)
      const reusable = reusableBy(pod, resource)
      return chooseDevices({
        resource,
        count,
        mask,
        all: devicesOfResource(resource),
        inUse: idsInUse(resource),
        reusable
      })
    }
    if (assigned.length !== count) {
      const subject = `pod ${JSON.stringify(uidOf(pod))} container ${JSON.stringify(container.name)}`
      return Result.fail(
        `${subject} changed request for resource ${JSON.stringify(resource)} from ${assigned.length} to ${count}`
      )
    }
    const healthy = new Set(devicesOfResource(resource).flatMap((device) => (device.healthy ? [device.id] : [])))
    return assigned.every((id) => healthy.has(id))
      ? Result.succeed(assigned)
      : Result.fail(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`)
  }

  const allocate = (pod: Pod, container: Container): AllocateFailure | undefined => {
    const assigned: DevicesByResource = {}
    const reused: DevicesByResource = {}
    for (const [resource, count] of requestsOf(container)) {
      const chosen = allocateResource(pod, container, resource, count)
      if (Result.isFailure(chosen)) return allocateFailure(chosen.failure)
      if (chosen.success.length > 0) assigned[resource] = chosen.success
      const reusable = reusableBy(pod, resource)
      reused[resource] = chosen.success.filter((id) => reusable.has(id))
    }
    const isNew = pods.get(uidOf(pod))?.has(container.name) !== true
    if (Object.keys(assigned).length > 0) {
      if (isNew) setIn(open, uidOf(pod), container.name, reused)
      setIn(pods, uidOf(pod), container.name, assigned)
    }
    updateReusable(pod, container, assigned)
    return undefined
  }

  const choiceOf = (podUid: string, container: string, resource: string): DevicePreference | undefined => {
    const reused = open.get(podUid)?.get(container)?.[resource]
    const own = pods.get(podUid)?.get(container)?.[resource] ?? []
    const others = [...(pods.get(podUid) ?? [])].flatMap(([name, ids]) =>
      name === container ? [] : (ids[resource] ?? [])
    )
    // What later containers have of this one's devices is not to be chosen anew.
    if (reused === undefined || own.some((id) => others.includes(id) && !reused.includes(id))) return undefined
    const chosen = new Set(own.filter((id) => !reused.includes(id)))
    const inUse = new Set([...idsInUse(resource)].filter((id) => !chosen.has(id)))
    const { mask } = affinity.getAffinity(podUid, container)
    const all = devicesOfResource(resource)
    return preferenceOf({ resource, count: own.length, mask, all, inUse, reusable: new Set(reused) })
  }

  const getTopologyHints = (pod: Pod, container: Container): HintLists =>
    Object.fromEntries(
      requestsOf(container).map(([resource, count]) => {
        const assigned = pods.get(uidOf(pod))?.get(container.name)?.[resource]
        return [resource, hintsFor(resource, count, new Set(assigned), reusableBy(pod, resource))]
      })
    )

  const getPodTopologyHints = (pod: Pod): HintLists =>
    Object.fromEntries(
      Object.entries(podLimits(pod, { excludeOverhead: true })).flatMap(([resource, amount]) => {
        if (inventory[resource] === undefined) return []
        const assigned = idsOf(pods.get(uidOf(pod))?.values() ?? [], resource)
        return [[resource, hintsFor(resource, value(amount), assigned, noIds)] as const]
      })
    )

  const countBy = (isCounted: (device: Device) => boolean) => () =>
    Object.fromEntries(
      Object.entries(inventory).map(([resource, devices]) => [resource, devices.filter(isCounted).length])
    )

  return {
    name: "device",
    getTopologyHints,
    getPodTopologyHints,
    allocate,
    removeStale: (active) => {
      for (const uid of pods.keys()) if (!active.has(uid)) pods.delete(uid)
      for (const uid of open.keys()) if (!active.has(uid)) open.delete(uid)
      if (reusablePod !== undefined && !active.has(reusablePod.podUid)) reusablePod = undefined
    },
    setDevices: (resource, devices) => {
      inventory[resource] = devices
    },
    removeResource: (resource) => {
      delete inventory[resource]
    },
    inventory: () => ({ ...inventory }),
    capacity: countBy(() => true),
    allocatable: countBy(({ healthy }) => healthy),
    devicesOf: (podUid, containerName) => pods.get(podUid)?.get(containerName) ?? {},
    preferenceOf: choiceOf,
    prefer: (podUid, containerName, resource, ids) => {
      const choice = choiceOf(podUid, containerName, resource)
      const had = pods.get(podUid)?.get(containerName)
      if (choice === undefined || had === undefined) return
      setIn(pods, podUid, containerName, {
        ...had,
        [resource]: withPreferred(choice, ids, had[resource] ?? [])
      })
      const { [resource]: _, ...others } = open.get(podUid)?.get(containerName) ?? {}
      setIn(open, podUid, containerName, others)
    }
  }
}
