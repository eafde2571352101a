import { formatTime, type Node, type Release, type ResourceList } from "@rollcall/api"
import type { Connection, EventRecorder } from "@rollcall/cluster"
import {
  initialNode,
  type Kubelet,
  type KubeletConfig,
  type KubeletModel,
  kubeletConfig,
  type ModelledPodRuntimeOptions,
  makeKubelet,
  makeModelledHost,
  makeModelledPodRuntime,
  modelRecorded,
  modelUpstream,
  type NodeObservation,
  staticStatus
} from "@rollcall/kubelet"
import type { TimersShape } from "@rollcall/time"
import type { Plan, PlannedGroup } from "../input/load.ts"
import type { SettingValues } from "../input/settings.ts"
import { chanceFor } from "./Chance.ts"
import { type Link, makeLink } from "./Link.ts"

/** A machine with its kubelet, and the network between it and the API server. */
export interface Machine {
  readonly name: string
  readonly group: string | undefined
  readonly kubelet: Kubelet
  readonly link: Link
  /** The Node as this machine's kubelet has registered it long ago; undefined where the plan shows it. */
  readonly registered: Node | undefined
}

const nothingWrong: NodeObservation = {
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

/** The modelled pods of recordings start 50 ms after their creation. */
const RECORDED_START_MS = 50

export const DEFAULT_CAPACITY: ResourceList = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" }

const modelOf = ({ driver }: Plan): KubeletModel => {
  if (driver === undefined) return { ...modelUpstream, leaseSpread: true }
  const { leaseRenewSeconds } = driver
  return leaseRenewSeconds === undefined
    ? modelRecorded
    : { ...modelRecorded, leaseIntervalMs: leaseRenewSeconds * 1000 }
}

const labelsOf = (group: PlannedGroup["group"]): Readonly<Record<string, string>> => ({
  ...(group.zone === undefined ? {} : { "topology.kubernetes.io/zone": group.zone }),
  ...(group.region === undefined ? {} : { "topology.kubernetes.io/region": group.region }),
  ...group.labels
})

const quantities = (capacity: Readonly<Record<string, string | number>>): ResourceList =>
  Object.fromEntries(Object.entries(capacity).map(([name, value]) => [name, String(value)]))

/** What makes one machine: where it is, what it has, and how it gets to the API server. */
export interface MachineSpec {
  readonly name: string
  readonly group: string | undefined
  readonly config: KubeletConfig
  readonly capacity: ResourceList
  /** The Node that a snapshot or a manifest shows of it. */
  readonly node?: Node
  /** Where its pods' addresses come from as long as its Node has no podCIDR. */
  readonly podCIDR?: string
}

/** What the machines of a fleet have in common. */
export interface FleetOptions {
  readonly timers: TimersShape
  readonly release: Release
  readonly seed: number
  readonly model: KubeletModel
  readonly runtime?: ModelledPodRuntimeOptions
  /** Each kubelet's own way to the API server, before anything happens to its link. */
  readonly connect: (node: string) => Connection
  /** Makes the recorder of a kubelet's Events, over its link; without it none are made. */
  readonly recorderOf?: (node: string, connection: Connection) => Pick<EventRecorder, "event">
}

/** Makes a machine with its kubelet, not started yet. */
export const makeMachine = (
  { connect, model, recorderOf, release, runtime = {}, seed, timers }: FleetOptions,
  { capacity, config, group, name, node, podCIDR }: MachineSpec
): Machine => {
  const link = makeLink(connect(name), timers, chanceFor(seed, `link ${name}`))
  const allocatable = node?.status?.allocatable
  const info = node?.status?.nodeInfo
  const host = makeModelledHost({
    name,
    capacity,
    ...(allocatable === undefined ? {} : { allocatable }),
    ...(info?.operatingSystem === undefined ? {} : { operatingSystem: info.operatingSystem }),
    ...(info?.architecture === undefined ? {} : { architecture: info.architecture })
  })
  const kubelet = makeKubelet(timers, {
    name,
    connection: link.connection,
    config,
    model,
    release,
    host,
    runtime: makeModelledPodRuntime(timers, podCIDR === undefined ? runtime : { ...runtime, podCIDR }),
    seed,
    ...(recorderOf === undefined ? {} : { recorder: recorderOf(name, link.connection) })
  })
  const machine = host.machine()
  const setting = { config, release, machine, own: staticStatus(machine, config) }
  const registered = node === undefined ? initialNode(name, setting, nothingWrong, formatTime(timers.now())) : undefined
  return { name, group, kubelet, link, registered }
}

/** The machines of a group, as a scenario writes it. */
export const machinesOfGroup = (
  { group, kubelet, names }: PlannedGroup,
  shared: SettingValues,
  release: Release,
  given: Partial<KubeletConfig> = {}
): ReadonlyArray<MachineSpec> => {
  const config = kubeletConfig(
    {
      ...shared,
      ...kubelet,
      ...given,
      nodeLabels: labelsOf(group),
      registerWithTaints: (group.taints ?? []).map((taint) => ({ ...taint }))
    },
    release
  )
  const capacity =
    group.capacity === undefined ? DEFAULT_CAPACITY : { ...DEFAULT_CAPACITY, ...quantities(group.capacity) }
  return names.map((name) => ({ name, group: group.name, config, capacity }))
}

/** Makes all machines of a plan: its groups, and those that a snapshot or manifest shows as Nodes. None is started yet. */
export const makeFleet = (
  plan: Plan,
  timers: TimersShape,
  connect: (node: string) => Connection
): ReadonlyArray<Machine> => {
  const { driver, release, seed } = plan
  const runtime =
    driver === undefined ? {} : { startMs: RECORDED_START_MS, stopMs: (driver.podTerminateSeconds ?? 1) * 1000 }
  const reportMs = driver?.statusHeartbeatSeconds
  const recorded: Partial<KubeletConfig> =
    driver === undefined
      ? {}
      : {
          nodeStatusReportFrequencyMs:
            reportMs === undefined || reportMs === 0 ? Number.POSITIVE_INFINITY : reportMs * 1000
        }
  const options: FleetOptions = { timers, release, seed, model: modelOf(plan), runtime, connect }
  const make = (spec: MachineSpec) => makeMachine(options, spec)
  const grouped = plan.groups.flatMap((group) =>
    machinesOfGroup(group, plan.settings.kubelet, release, recorded).map(make)
  )
  const shared = kubeletConfig({ ...plan.settings.kubelet, ...recorded }, release)
  const given = [...plan.snapshot, ...plan.objects]
    .filter(({ kind }) => kind === "Node")
    .map(({ object }) => object as Node)
  return [
    ...grouped,
    ...given.map((node) =>
      // A kubelet that does not know all of its basic resources is not ready: what a snapshot leaves out is made up.
      make({
        name: node.metadata.name ?? "",
        group: undefined,
        config: shared,
        capacity: { ...DEFAULT_CAPACITY, ...node.status?.capacity },
        node
      })
    )
  ]
}
