import { labelArch, labelOS, type Node, type NodeCondition, type NodeStatus, type ResourceList } from "@rollcall/api"
import { type ConditionUpdate, type PressureKind, type Readiness, setPressure, setReady } from "./Conditions.ts"
import { type MachineResources, machineResources } from "./MachineResources.ts"
import { addressesFor, withProvidedIP } from "./NodeAddresses.ts"
import type { NodeSetting } from "./StaticStatus.ts"
import { semanticEqual } from "./StatusChanged.ts"

/** The kubelet's observations of its node at one moment. */
export interface NodeObservation {
  readonly pressure: Readonly<Record<PressureKind, boolean>>
  /** Undefined if no component on this node manages the network: the condition is then not changed. */
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
    // These are the texts of the cloud's route controller. Those of network plugins vary.
    reason: unavailable ? "NoRouteCreated" : "RouteCreated",
    message: unavailable ? "Node created without a route" : "RouteController created a route"
  }
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition)
}

/** The observation of a node without problems. */
export const healthyObservation: NodeObservation = {
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

export const isPressure = (type: NodeCondition["type"], observed: NodeObservation): type is PressureKind =>
  Object.hasOwn(observed.pressure, type)

/** Returns the observed readiness, with the container manager's warnings of the machine if none were observed. */
const readinessOf = ({ readiness }: NodeObservation, softRequirements: string | undefined): Readiness =>
  softRequirements === undefined || readiness.softRequirements !== undefined
    ? readiness
    : { ...readiness, softRequirements }

/** Sets the release's conditions in its order, and Ready last. */
const setConditions = (
  current: ReadonlyArray<NodeCondition>,
  observed: NodeObservation,
  capacity: ResourceList,
  { config, machine, release }: NodeSetting,
  now: string
): ConditionUpdate => {
  let conditions = current
  const events: Array<string> = []
  const apply = (update: ConditionUpdate) => {
    conditions = update.conditions
    events.push(...update.events)
  }
  for (const type of release.kubeletConditions) {
    if (isPressure(type, observed)) apply(setPressure(conditions, type, observed.pressure[type], now))
  }
  conditions = setNetwork(conditions, observed.networkUnavailable, now)
  const readiness = readinessOf(observed, machine.softRequirements)
  apply(setReady(conditions, readiness, capacity, config.localStorageCapacityIsolation, now))
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

/** Returns the Node's capacity and allocatable resources. Nearly always the Node already has the machine's. */
const resourcesFor = (current: NodeStatus, { config, machine, fixed }: NodeSetting): MachineResources => {
  const { allocatable, capacity } = current
  if (capacity === undefined && allocatable === undefined) return fixed.resources
  if (capacity !== undefined && allocatable !== undefined) {
    const { resources } = fixed
    if (sameEntries(capacity, resources.capacity) && sameEntries(allocatable, resources.allocatable)) {
      return { capacity, allocatable }
    }
  }
  return machineResources(current, machine, config)
}

/** Returns the current value if it is equal to the computed one, to keep the identity of the object. */
const keepIfEqual = <A>(current: A | undefined, computed: A): A =>
  current !== undefined && semanticEqual(current, computed) ? current : computed

type OptionalField = "declaredFeatures" | "features" | "runtimeHandlers" | "volumesInUse"

/** Returns the changed value of a field that not every machine sets, or undefined to leave the field as it is. */
const changedPart = <K extends OptionalField>(
  current: NodeStatus,
  key: K,
  computed: NodeStatus[K]
): Pick<NodeStatus, K> | undefined =>
  computed === undefined || keepIfEqual(current[key], computed) === current[key]
    ? undefined
    : ({ [key]: computed } as Pick<NodeStatus, K>)

/** Returns the Node's system info. Values that could not be read stay unchanged, as does swap that was removed. */
const nodeInfoFor = (current: NodeStatus, { fixed }: NodeSetting): NonNullable<NodeStatus["nodeInfo"]> => {
  const { nodeInfo } = current
  if (nodeInfo === undefined) return fixed.nodeInfo
  return semanticEqual(nodeInfo, fixed.nodeInfo) ? nodeInfo : keepIfEqual(nodeInfo, { ...nodeInfo, ...fixed.nodeInfo })
}

/** Returns the metadata with correct labels of OS and architecture, and the annotation for the cloud controller. */
const metadataFor = (
  { metadata }: Node,
  { machine, fixed }: NodeSetting
): { readonly metadata: Node["metadata"]; readonly relabelled: boolean } => {
  const { architecture, operatingSystem } = machine
  const { annotations, labels = {} } = metadata
  const relabelled = labels[labelOS] !== operatingSystem || labels[labelArch] !== architecture
  const provided = withProvidedIP(annotations, fixed.addresses)
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

/** The result of the status setters. */
export interface ComputedNode {
  readonly node: Node
  /** The reasons of the Normal Events to record about the node. */
  readonly events: ReadonlyArray<string>
  /** Whether labels were corrected, which counts as a change of the status. */
  readonly relabelled: boolean
  /** The error of a setter; the other setters were applied. */
  readonly error: string | undefined
}

/**
 * Runs the setters over a Node that was read. Unchanged parts keep their object identity, which makes the following
 * comparison cheap. Upstream: pkg/kubelet/kubelet_node_status.go updateNode, defaultNodeStatusFuncs.
 */
export const computeNode = (read: Node, setting: NodeSetting, observed: NodeObservation, now: string): ComputedNode => {
  const { config, fixed } = setting
  const current = read.status ?? {}
  const { allocatable, capacity } = resourcesFor(current, setting)
  const { conditions, events } = setConditions(current.conditions ?? [], observed, capacity, setting, now)
  const { metadata, relabelled } = metadataFor(read, setting)
  const { addresses, error } = addressesFor(current.addresses, fixed.addresses, config.externalCloudProvider)
  const status: NodeStatus = {
    ...current,
    ...(addresses === undefined ? {} : { addresses: keepIfEqual(current.addresses, addresses) }),
    capacity: keepIfEqual(current.capacity, capacity),
    allocatable: keepIfEqual(current.allocatable, allocatable),
    daemonEndpoints: keepIfEqual(current.daemonEndpoints, fixed.daemonEndpoints),
    nodeInfo: nodeInfoFor(current, setting),
    images: keepIfEqual(current.images, fixed.images),
    ...changedPart(current, "runtimeHandlers", fixed.runtimeHandlers),
    ...changedPart(current, "features", fixed.features),
    ...changedPart(current, "volumesInUse", fixed.volumesInUse),
    ...changedPart(current, "declaredFeatures", fixed.declaredFeatures),
    conditions
  }
  return { node: { ...read, metadata, status }, events, relabelled, error }
}
