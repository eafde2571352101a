import { formatTime, type Node, type Release, type ResourceList } from "@rollcall/api"
import type { ComponentLog, Connection, EventRecorder } from "@rollcall/cluster"
import {
  type ControlledHost,
  type HostMachine,
  initialNode,
  type Kubelet,
  type KubeletConfig,
  type KubeletMeter,
  type KubeletModel,
  type ModelledKubelet,
  makeModelledKubelet,
  type NodeHostsShape,
  nodeSetting,
  nothingWrong,
  type PodRuntimesShape,
  type PressureKind,
  type StaticPodManifest,
  type UsageSink
} from "@rollcall/kubelet"
import type { TimersShape } from "@rollcall/time"
import type { Checkpoint, MachineTopology, ResourceManagers } from "@rollcall/topology"
import * as Result from "effect/Result"
import { GatedRuntime, type StartGateShape } from "./GatedRuntime.ts"
import type { InitialHealth } from "./InitialHealth.ts"
import type { Link } from "./link/Link.ts"
import type { LinksShape } from "./link/Links.ts"
import { ModelledMachine } from "./ModelledMachine.ts"
import { managersOf } from "./resources.ts"
import type { InhibitorsShape } from "./shutdown/Inhibitors.ts"
import type { MachineShutdown, MachineShutdownEvent } from "./shutdown/MachineShutdown.ts"

/** A machine with its kubelet, and the network between it and the API server. */
export interface Machine {
  readonly name: string
  readonly group: string | undefined
  readonly host: ControlledHost
  readonly kubelet: Kubelet
  readonly link: Link
  readonly shutdown: MachineShutdown
  /** What hands out its processors, memory and devices; undefined: its kubelet is configured to have nothing of the sort. */
  readonly managers: ResourceManagers | undefined
  /** The Node as this machine's kubelet has registered it long ago; undefined where the plan shows it. */
  readonly registered: Node | undefined
  /** Lets the machine begin: well, or as its cluster was when it was read. */
  readonly start: () => void
  /** It has power. */
  readonly powered: boolean
  /** It loses power: the process of its kubelet and its containers are gone. */
  readonly crash: () => void
  /** Starts it anew, with another boot id, and its kubelet with it: it is well then, however it began. */
  readonly boot: () => void
  /** Its link is whole again: what its kubelet does about that, if its model knows of such a thing. */
  readonly reconnect: () => void
  /** Its node says that it is under pressure, whatever is measured. */
  readonly setPressure: (kind: PressureKind, underPressure: boolean) => void
  readonly setRuntimeDown: (down: boolean) => void
  readonly setNetworkUnavailable: (unavailable: boolean) => void
  /** How far its clock is ahead, from now on. */
  readonly setClockSkew: (skewMs: number) => void
}

/** What makes one machine: where it is, what it has, and how it gets to the API server. */
export interface MachineSpec {
  readonly name: string
  readonly group: string | undefined
  readonly config: KubeletConfig
  readonly capacity: ResourceList
  /** Absent: nothing is known of its sockets and NUMA nodes. */
  readonly topology?: MachineTopology
  /** Absent: it has none. */
  readonly swapBytes?: number
  /** Pods that its kubelet runs from manifests of its own. */
  readonly staticPods?: ReadonlyArray<StaticPodManifest>
  /** Where its resource managers keep what they hand out; absent: with the machine. */
  readonly checkpoint?: Checkpoint
  /** The Node that a snapshot or a manifest shows of it. */
  readonly node?: Node
  /** What was wrong with it when its cluster was read; absent: nothing. */
  readonly health?: InitialHealth
  /** Where its pods' addresses come from until its Node has a podCIDR; `await`: its network is not ready until then. */
  readonly podCIDR?: string
}

/** What the machines of a world have in common. */
export interface MachineOptions {
  readonly timers: TimersShape
  readonly release: Release
  readonly seed: number
  readonly model: KubeletModel
  readonly hosts: NodeHostsShape
  readonly inhibitors: InhibitorsShape
  readonly links: LinksShape
  readonly runtimes: PodRuntimesShape
  /** Each kubelet's own way to the API server, before anything happens to its link. */
  readonly connect: (node: string) => Connection
  /** What pods wait at before they start; absent: nothing. */
  readonly startGate?: StartGateShape
  /** Counts what the kubelets do, all together. */
  readonly meter?: KubeletMeter
  readonly onShutdown?: (node: string, event: MachineShutdownEvent) => void
  /** The cloud that kubelets ask for their machines, where they do that themselves. */
  readonly askCloud?: (node: string) => ReturnType<NonNullable<HostMachine["askCloud"]>>
  /** Makes the recorder of a kubelet's Events, over its link; without it none are made. */
  readonly recorderOf?: (node: string, connection: Connection) => Pick<EventRecorder, "event">
  /** Makes the log of a kubelet; without it none is written. */
  readonly logOf?: (node: string) => ComponentLog
}

/** Why the kubelet of a machine would not start. */
export class KubeletRefused extends Error {
  readonly refusal: string

  constructor(node: string, refusal: string) {
    super(`the kubelet of ${node} would not start: ${refusal}`)
    this.refusal = refusal
  }
}

const isUsageSink = (host: ControlledHost): host is ControlledHost & UsageSink => host.setPodUsage !== undefined

/** Makes a machine with its kubelet, not started yet. */
export const makeMachine = (
  {
    askCloud,
    connect,
    hosts,
    inhibitors,
    links,
    logOf,
    meter,
    model,
    onShutdown,
    recorderOf,
    release,
    runtimes,
    seed,
    startGate,
    timers
  }: MachineOptions,
  { capacity, checkpoint, config, group, health, name, node, podCIDR, staticPods, swapBytes, topology }: MachineSpec
): Machine => {
  const link = links.of(name, connect(name))
  const allocatable = node?.status?.allocatable
  const info = node?.status?.nodeInfo
  const host = hosts.of({
    name,
    capacity,
    ...(swapBytes === undefined || swapBytes === 0 ? {} : { swapBytes }),
    ...(askCloud === undefined ? {} : { askCloud: () => askCloud(name) }),
    ...(allocatable === undefined ? {} : { allocatable }),
    ...(info?.operatingSystem === undefined ? {} : { operatingSystem: info.operatingSystem }),
    ...(info?.architecture === undefined ? {} : { architecture: info.architecture })
  })
  const shutdown = inhibitors.of({
    name,
    config,
    machine: () => machine,
    observe: (event) => onShutdown?.(name, event)
  })
  const managers = Result.getOrThrowWith(
    managersOf({ capacity, checkpoint, config, topology }, () => kubelet.knownPods(), timers.now),
    (refusal) => new KubeletRefused(name, refusal)
  )
  const sink = isUsageSink(host) ? { host } : {}
  const runtime = runtimes.of({ name, ...sink, ...(podCIDR === undefined ? {} : { podCIDR }) })
  const kubelet: ModelledKubelet = makeModelledKubelet(timers, {
    name,
    connection: link.connection,
    config,
    model,
    release,
    host,
    runtime: startGate === undefined ? runtime : new GatedRuntime(name, runtime, startGate),
    seed,
    resourceManagers: managers === undefined ? [] : [managers.admit],
    admission: [shutdown.admit],
    ...(shutdown.shutdownStatus === undefined ? {} : { shutdownStatus: shutdown.shutdownStatus }),
    onStop: shutdown.kubeletEnded,
    ...(meter === undefined ? {} : { meter }),
    ...(logOf === undefined ? {} : { log: logOf(name) }),
    ...(recorderOf === undefined ? {} : { recorder: recorderOf(name, link.connection) })
  })
  if (staticPods !== undefined && staticPods.length > 0) kubelet.setStaticPods(staticPods)
  const setting = nodeSetting(host.machine(), config, release)
  const registered = node === undefined ? initialNode(name, setting, nothingWrong, formatTime(timers.now())) : undefined
  const machine: Machine = new ModelledMachine({
    name,
    group,
    host,
    kubelet,
    link,
    shutdown,
    managers,
    registered,
    health
  })
  return machine
}
