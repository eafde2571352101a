import { labelArch, labelOS, type Node, type NodeCondition, type NodeStatus, type ResourceList } from "@rollcall/api"
import { type ConditionUpdate, type PressureKind, type Readiness, setPressure, setReady } from "./Conditions.ts"
import { type MachineResources, machineResources } from "./MachineResources.ts"
import { addressesFor, withProvidedIP } from "./NodeAddresses.ts"
import type { NodeSetting } from "./StaticStatus.ts"
import { semanticEqual } from "./StatusChanged.ts"

/** The kubelet's observations of its node at one moment. */
export interface NodeObservation {
  readonly pressure: Readonly<Record<PressureKind, boolean>>
  /** Undefined: no component on this node manages the network, and the condition is not changed. */
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
    // The texts of the cloud's route controller; those of network plugins vary.
    reason: unavailable ? "NoRouteCreated" : "RouteCreated",
    message: unavailable ? "Node created without a route" : "RouteController created a route"
  }
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition)
}

/** The observations of a node without problems. */
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

/** The container manager's warnings come from the machine, unless the observation has some. */
const readinessOf = ({ readiness }: NodeObservation, softRequirements: string | undefined): Readiness =>
  softRequirements === undefined || readiness.softRequirements !== undefined
    ? readiness
    : { ...readiness, softRequirements }

/** Runs the setters of the release's conditions in its order; Ready is the last of them. */
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

/** The Node nearly always has the machine's resources already. */
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

/** As `kept`, for a part that not every machine sets: an undefined value keeps the current one. */
const keptIfSaid = <K extends Part>(held: NodeStatus, key: K, fresh: NodeStatus[K]): Pick<NodeStatus, K> | undefined =>
  fresh === undefined || kept(held[key], fresh) === held[key] ? undefined : ({ [key]: fresh } as Pick<NodeStatus, K>)

/** Values that could not be read stay unchanged, and so does swap that was removed. */
const nodeInfoFor = (held: NodeStatus, { own }: NodeSetting): NonNullable<NodeStatus["nodeInfo"]> => {
  const { nodeInfo } = held
  if (nodeInfo === undefined) return own.nodeInfo
  return semanticEqual(nodeInfo, own.nodeInfo) ? nodeInfo : kept(nodeInfo, { ...nodeInfo, ...own.nodeInfo })
}

/** The labels of OS and architecture, which are always corrected, and the annotation for the cloud controller. */
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
  /** Whether labels were corrected; counts as a change. */
  readonly relabelled: boolean
  /** The error of a setter; the others were applied. */
  readonly error: string | undefined
}

/**
 * Runs the setters over a Node that was read. Unchanged parts keep their object identity, which makes the following
 * comparison cheap. Upstream: pkg/kubelet/kubelet_node_status.go updateNode, defaultNodeStatusFuncs.
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
