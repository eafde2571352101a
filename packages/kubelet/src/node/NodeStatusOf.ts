import { labelArch, labelOS, type Node, type NodeCondition, type NodeStatus, type ResourceList } from "@rollcall/api"
import { type ConditionUpdate, type PressureKind, type Readiness, setPressure, setReady } from "./Conditions.ts"
import { type MachineResources, machineResources } from "./MachineResources.ts"
import { addressesFor, withProvidedIP } from "./NodeAddresses.ts"
import type { NodeSetting } from "./StaticStatus.ts"
import { semanticEqual } from "./StatusChanged.ts"

/** What the kubelet observes of its node at one moment. */
export interface NodeObservation {
  readonly pressure: Readonly<Record<PressureKind, boolean>>
  /** Undefined: nobody on this node speaks for the network, the condition is not touched. */
  readonly networkUnavailable: boolean | undefined
  readonly readiness: Readiness
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

/** A node of which nobody has anything to complain. */
export const nothingWrong: NodeObservation = {
  pressure: { MemoryPressure: false, DiskPressure: false, PIDPressure: false, OutOfDisk: false },
  networkUnavailable: undefined,
  readiness: {
    runtimeErrors: [],
    networkErrors: [],
    storageErrors: [],
    shutdownError: undefined,
    softRequirements: undefined
  }
}

const isPressure = (type: NodeCondition["type"], observed: NodeObservation): type is PressureKind =>
  Object.hasOwn(observed.pressure, type)

/** The container manager's warnings are the machine's, unless the observation has some. */
const readinessOf = ({ readiness }: NodeObservation, softRequirements: string | undefined): Readiness =>
  softRequirements === undefined || readiness.softRequirements !== undefined
    ? readiness
    : { ...readiness, softRequirements }

/** The setters of the release's conditions in its order; Ready is the last of them. */
const setConditions = (
  held: ReadonlyArray<NodeCondition>,
  observed: NodeObservation,
  capacity: ResourceList,
  { config, machine, release }: NodeSetting,
  now: string
): ConditionUpdate => {
  let conditions = held
  const events: Array<string> = []
  const take = (update: ConditionUpdate) => {
    conditions = update.conditions
    events.push(...update.events)
  }
  for (const type of release.kubeletConditions) {
    if (isPressure(type, observed)) take(setPressure(conditions, type, observed.pressure[type], now))
  }
  conditions = setNetwork(conditions, observed.networkUnavailable, now)
  const readiness = readinessOf(observed, machine.softRequirements)
  take(setReady(conditions, readiness, capacity, config.localStorageCapacityIsolation, now))
  return { conditions, events }
}

const sameEntries = (left: ResourceList, right: ResourceList): boolean => {
  let count = 0
  for (const name in right) {
    if (left[name] !== right[name]) return false
    count++
  }
  return Object.keys(left).length === count
}

/** Nearly always the Node has what the machine has. */
const resourcesFor = (held: NodeStatus, { config, machine, own }: NodeSetting): MachineResources => {
  const { allocatable, capacity } = held
  if (capacity === undefined && allocatable === undefined) return own.resources
  if (capacity !== undefined && allocatable !== undefined) {
    const { resources } = own
    if (sameEntries(capacity, resources.capacity) && sameEntries(allocatable, resources.allocatable)) {
      return { capacity, allocatable }
    }
  }
  return machineResources(held, machine, config)
}

const kept = <A>(held: A | undefined, fresh: A): A => (held !== undefined && semanticEqual(held, fresh) ? held : fresh)

type Part = "declaredFeatures" | "features" | "runtimeHandlers" | "volumesInUse"

/** As `kept`, of a part that not everybody sets: what is not said leaves what is there. */
const keptIfSaid = <K extends Part>(held: NodeStatus, key: K, fresh: NodeStatus[K]): Pick<NodeStatus, K> | undefined =>
  fresh === undefined || kept(held[key], fresh) === held[key] ? undefined : ({ [key]: fresh } as Pick<NodeStatus, K>)

/** What could not be read this time stays as it was, and so does swap that is gone. */
const nodeInfoFor = (held: NodeStatus, { own }: NodeSetting): NonNullable<NodeStatus["nodeInfo"]> => {
  const { nodeInfo } = held
  if (nodeInfo === undefined) return own.nodeInfo
  return semanticEqual(nodeInfo, own.nodeInfo) ? nodeInfo : kept(nodeInfo, { ...nodeInfo, ...own.nodeInfo })
}

/** Labels of system and architecture, which are always true, and the annotation for the cloud's controller. */
const metadataFor = (
  { metadata }: Node,
  { machine, own }: NodeSetting
): { readonly metadata: Node["metadata"]; readonly relabelled: boolean } => {
  const { architecture, operatingSystem } = machine
  const { annotations, labels = {} } = metadata
  const relabelled = labels[labelOS] !== operatingSystem || labels[labelArch] !== architecture
  const provided = withProvidedIP(annotations, own.addresses)
  if (!relabelled && provided === annotations) return { metadata, relabelled }
  return {
    metadata: {
      ...metadata,
      ...(relabelled ? { labels: { ...labels, [labelOS]: operatingSystem, [labelArch]: architecture } } : {}),
      ...(provided === undefined ? {} : { annotations: provided })
    },
    relabelled
  }
}

export interface ComputedNode {
  readonly node: Node
  /** Reasons of the Normal events about the node. */
  readonly events: ReadonlyArray<string>
  /** Labels were not as they must be; counts as a change. */
  readonly relabelled: boolean
  /** What a setter could not find out; the others did their part. */
  readonly error: string | undefined
}

/**
 * Runs the setters over a Node as it was read. Parts that come out as they were are the very same values, which makes the
 * comparison that follows cheap. Upstream: pkg/kubelet/kubelet_node_status.go updateNode, defaultNodeStatusFuncs.
 */
export const computeNode = (read: Node, setting: NodeSetting, observed: NodeObservation, now: string): ComputedNode => {
  const { config, own } = setting
  const held = read.status ?? {}
  const { allocatable, capacity } = resourcesFor(held, setting)
  const { conditions, events } = setConditions(held.conditions ?? [], observed, capacity, setting, now)
  const { metadata, relabelled } = metadataFor(read, setting)
  const { addresses, error } = addressesFor(held.addresses, own.addresses, config.externalCloudProvider)
  const status: NodeStatus = {
    ...held,
    ...(addresses === undefined ? {} : { addresses: kept(held.addresses, addresses) }),
    capacity: kept(held.capacity, capacity),
    allocatable: kept(held.allocatable, allocatable),
    daemonEndpoints: kept(held.daemonEndpoints, own.daemonEndpoints),
    nodeInfo: nodeInfoFor(held, setting),
    images: kept(held.images, own.images),
    ...keptIfSaid(held, "runtimeHandlers", own.runtimeHandlers),
    ...keptIfSaid(held, "features", own.features),
    ...keptIfSaid(held, "volumesInUse", own.volumesInUse),
    ...keptIfSaid(held, "declaredFeatures", own.declaredFeatures),
    conditions
  }
  return { node: { ...read, metadata, status }, events, relabelled, error }
}
