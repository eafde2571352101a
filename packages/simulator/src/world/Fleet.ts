import { formatTime, type Node, type ResourceList } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import {
  initialNode,
  type Kubelet,
  type KubeletConfig,
  type KubeletModel,
  kubeletConfig,
  makeKubelet,
  makeModelledHost,
  makeModelledPodRuntime,
  modelRecorded,
  modelUpstream,
  type NodeObservation,
  staticStatus
} from "@rollcall/kubelet"
import type { TimersShape } from "@rollcall/time"
import type { Plan } from "../input/load.ts"
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

const DEFAULT_CAPACITY: ResourceList = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" }

/** The settings of a kubelet that its configuration knows: what is not given keeps its default. */
const configOf = (plan: Plan, own: SettingValues, given: Partial<KubeletConfig>): KubeletConfig =>
  kubeletConfig({ ...plan.settings.kubelet, ...own, ...given }, plan.release)

const modelOf = ({ driver }: Plan): KubeletModel => {
  if (driver === undefined) return { ...modelUpstream, leaseSpread: true }
  const { leaseRenewSeconds } = driver
  return leaseRenewSeconds === undefined
    ? modelRecorded
    : { ...modelRecorded, leaseIntervalMs: leaseRenewSeconds * 1000 }
}

const labelsOf = (group: Plan["groups"][number]["group"]): Readonly<Record<string, string>> => ({
  ...(group.zone === undefined ? {} : { "topology.kubernetes.io/zone": group.zone }),
  ...(group.region === undefined ? {} : { "topology.kubernetes.io/region": group.region }),
  ...group.labels
})

const quantities = (capacity: Readonly<Record<string, string | number>>): ResourceList =>
  Object.fromEntries(Object.entries(capacity).map(([name, value]) => [name, String(value)]))

/** Makes all machines of a plan: its groups, and those that a snapshot or manifest shows as Nodes. None is started yet. */
export const makeFleet = (
  plan: Plan,
  timers: TimersShape,
  connect: (node: string) => Connection
): ReadonlyArray<Machine> => {
  const model = modelOf(plan)
  const runtime =
    plan.driver === undefined
      ? {}
      : { startMs: RECORDED_START_MS, stopMs: (plan.driver.podTerminateSeconds ?? 1) * 1000 }
  const reportMs = plan.driver?.statusHeartbeatSeconds
  const recorded: Partial<KubeletConfig> =
    plan.driver === undefined
      ? {}
      : {
          nodeStatusReportFrequencyMs:
            reportMs === undefined || reportMs === 0 ? Number.POSITIVE_INFINITY : reportMs * 1000
        }

  const make = (
    name: string,
    group: string | undefined,
    config: KubeletConfig,
    capacity: ResourceList,
    node?: Node
  ) => {
    const link = makeLink(connect(name), timers, chanceFor(plan.seed, `link ${name}`))
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
      release: plan.release,
      host,
      runtime: makeModelledPodRuntime(timers, runtime),
      seed: plan.seed
    })
    const machine = host.machine()
    const setting = { config, release: plan.release, machine, own: staticStatus(machine, config) }
    const registered =
      node === undefined ? initialNode(name, setting, nothingWrong, formatTime(timers.now())) : undefined
    return { name, group, kubelet, link, registered }
  }

  const grouped = plan.groups.flatMap(({ group, kubelet, names }) => {
    const config = configOf(plan, kubelet, {
      ...recorded,
      nodeLabels: labelsOf(group),
      registerWithTaints: (group.taints ?? []).map((taint) => ({ ...taint }))
    })
    const capacity =
      group.capacity === undefined ? DEFAULT_CAPACITY : { ...DEFAULT_CAPACITY, ...quantities(group.capacity) }
    return names.map((name) => make(name, group.name, config, capacity))
  })
  const shared = configOf(plan, {}, recorded)
  const given = [...plan.snapshot, ...plan.objects]
    .filter(({ kind }) => kind === "Node")
    .map(({ object }) => object as Node)
  return [
    ...grouped,
    ...given.map((node) =>
      // A kubelet that does not know all of its basic resources is not ready: what a snapshot leaves out is made up.
      make(node.metadata.name ?? "", undefined, shared, { ...DEFAULT_CAPACITY, ...node.status?.capacity }, node)
    )
  ]
}
