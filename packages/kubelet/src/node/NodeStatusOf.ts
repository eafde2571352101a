import {
  labelArch,
  labelOS,
  type Node,
  type NodeAddress,
  type NodeCondition,
  type NodeStatus,
  type Release,
  type ResourceList
} from "@rollcall/api"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { Machine } from "../runtime/NodeHost.ts"
import { allocatableOf, podCapacity } from "./Allocatable.ts"
import { type ConditionUpdate, type PressureKind, type Readiness, setPressure, setReady } from "./Conditions.ts"
import { reportedImages, versionInfo } from "./NodeInfo.ts"
import { isExtendedResource } from "./ResourceNames.ts"
import { semanticEqual } from "./StatusChanged.ts"

/** What a kubelet is and was told. */
export interface NodeSetting {
  readonly config: KubeletConfig
  readonly release: Release
  readonly machine: Machine
  /** `staticStatus` of this machine and configuration. */
  readonly own: StaticStatus
}

/** What the kubelet observes of its node at one moment. */
export interface NodeObservation {
  readonly pressure: Readonly<Record<PressureKind, boolean>>
  /** Undefined: nobody on this node speaks for the network, the condition is not touched. */
  readonly networkUnavailable: boolean | undefined
  readonly readiness: Readiness
}

/** The parts of a status that follow from machine and configuration alone; worked out once for each machine value. */
export type StaticStatus = Required<
  Pick<NodeStatus, "capacity" | "allocatable" | "addresses" | "daemonEndpoints" | "nodeInfo" | "images" | "features">
>

const DEFAULT_MAX_PODS = 110

export const staticStatus = (machine: Machine, config: KubeletConfig): StaticStatus => {
  const { cpu, pods } = machine.capacity
  const maxPods = config.maxPods ?? Number(pods ?? DEFAULT_MAX_PODS)
  const capacity = { ...machine.capacity, pods: podCapacity(cpu, maxPods, config.podsPerCore) }
  return {
    capacity,
    allocatable: machine.allocatable ?? allocatableOf(capacity, config),
    addresses: machine.addresses,
    daemonEndpoints: { kubeletEndpoint: { Port: config.port } },
    nodeInfo: {
      machineID: machine.machineID,
      systemUUID: machine.systemUUID,
      bootID: machine.bootID,
      ...versionInfo(machine.versions),
      operatingSystem: machine.operatingSystem,
      architecture: machine.architecture
    },
    images: reportedImages(machine.images, config.nodeStatusMaxImages),
    features: { supplementalGroupsPolicy: true }
  }
}

const setNetwork = (
  conditions: ReadonlyArray<NodeCondition>,
  unavailable: boolean | undefined,
  now: string
): ReadonlyArray<NodeCondition> => {
  if (unavailable === undefined) return conditions
  const status = unavailable ? "True" : "False"
  const index = conditions.findIndex(({ type }) => type === "NetworkUnavailable")
  const old = conditions[index]
  const condition: NodeCondition = {
    type: "NetworkUnavailable",
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? now) : now,
    // What the cloud's route controller writes; a network plugin's words vary.
    reason: unavailable ? "NoRouteCreated" : "RouteCreated",
    message: unavailable ? "Node created without a route" : "RouteController created a route"
  }
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition)
}

const isPressure = (type: NodeCondition["type"], observed: NodeObservation): type is PressureKind =>
  Object.hasOwn(observed.pressure, type)

/** The setters of the release's conditions in its order; Ready is the last of them. */
const setConditions = (
  held: ReadonlyArray<NodeCondition>,
  observed: NodeObservation,
  capacity: StaticStatus["capacity"],
  setting: NodeSetting,
  now: string
): ConditionUpdate => {
  let conditions = held
  const events: Array<string> = []
  const take = (update: ConditionUpdate) => {
    conditions = update.conditions
    events.push(...update.events)
  }
  for (const type of setting.release.kubeletConditions) {
    if (isPressure(type, observed)) take(setPressure(conditions, type, observed.pressure[type], now))
  }
  conditions = setNetwork(conditions, observed.networkUnavailable, now)
  take(setReady(conditions, observed.readiness, capacity, setting.config.localStorageCapacityIsolation, now))
  return { conditions, events }
}

const addressesOf = (held: NodeStatus, own: StaticStatus, config: KubeletConfig): ReadonlyArray<NodeAddress> => {
  if (!config.externalCloudProvider) return own.addresses
  const { addresses } = held
  if (addresses !== undefined && addresses.length > 0) return addresses
  return own.addresses.filter(({ type }) => type === "Hostname")
}

const sameEntries = (left: ResourceList, right: ResourceList): boolean => {
  let count = 0
  for (const name in right) {
    if (left[name] !== right[name]) return false
    count++
  }
  return Object.keys(left).length === count
}

/** Entries that others set survive, unless they are extended resources that capacity no longer has. */
const resourcesOf = (held: NodeStatus, own: StaticStatus): Pick<StaticStatus, "capacity" | "allocatable"> => {
  if (held.capacity === undefined || held.allocatable === undefined) return own
  if (sameEntries(held.capacity, own.capacity) && sameEntries(held.allocatable, own.allocatable)) {
    return { capacity: held.capacity, allocatable: held.allocatable }
  }
  const capacity = { ...held.capacity, ...own.capacity }
  const known = Object.entries(held.allocatable).filter(
    ([name]) => capacity[name] !== undefined || !isExtendedResource(name)
  )
  const foreign = Object.entries(capacity).filter(([name]) => own.capacity[name] === undefined)
  return {
    capacity,
    allocatable: { ...Object.fromEntries([...known, ...foreign]), ...own.allocatable }
  }
}

const kept = <A>(held: A | undefined, fresh: A): A => (held !== undefined && semanticEqual(held, fresh) ? held : fresh)

export interface ComputedNode {
  readonly node: Node
  /** Reasons of the Normal events about the node. */
  readonly events: ReadonlyArray<string>
  /** Labels were not as they must be; counts as a change. */
  readonly relabelled: boolean
}

/**
 * Runs the setters over a Node as it was read. Parts that come out as they were are the very same values, which makes the
 * comparison that follows cheap. Upstream: pkg/kubelet/kubelet_node_status.go updateNode, defaultNodeStatusFuncs.
 */
export const computeNode = (read: Node, setting: NodeSetting, observed: NodeObservation, now: string): ComputedNode => {
  const { config, machine, own } = setting
  const held = read.status ?? {}
  const { allocatable, capacity } = resourcesOf(held, own)
  const { conditions, events } = setConditions(held.conditions ?? [], observed, own.capacity, setting, now)
  const labels = read.metadata.labels ?? {}
  const { architecture, operatingSystem } = machine
  const relabelled = labels[labelOS] !== operatingSystem || labels[labelArch] !== architecture
  const metadata = relabelled
    ? { ...read.metadata, labels: { ...labels, [labelOS]: operatingSystem, [labelArch]: architecture } }
    : read.metadata
  const status: NodeStatus = {
    ...held,
    addresses: kept(held.addresses, addressesOf(held, own, config)),
    capacity: kept(held.capacity, capacity),
    allocatable: kept(held.allocatable, allocatable),
    daemonEndpoints: kept(held.daemonEndpoints, own.daemonEndpoints),
    nodeInfo: kept(held.nodeInfo, own.nodeInfo),
    images: kept(held.images, own.images),
    features: kept(held.features, own.features),
    conditions
  }
  return { node: { ...read, metadata, status }, events, relabelled }
}
