import { formatTime, type Node, type Release, type ResourceList } from "@rollcall/api"
import type { ComponentLog, Connection, EventRecorder } from "@rollcall/cluster"
import {
  initialNode,
  type Kubelet,
  type KubeletConfig,
  type KubeletMeter,
  type KubeletModel,
  type ModelledHost,
  type ModelledHostOptions,
  makeKubelet,
  makeModelledHost,
  nodeSetting,
  nothingWrong,
  type PodRuntime,
  type PodRuntimesShape,
  type StaticPodManifest
} from "@rollcall/kubelet"
import type { TimersShape } from "@rollcall/time"
import type { MachineTopology } from "@rollcall/topology"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { bootWell, startUnwell } from "./beginnings.ts"
import { chanceFor } from "./Chance.ts"
import type { InitialHealth } from "./InitialHealth.ts"
import { type Link, makeLink } from "./link/Link.ts"
import { type MachineShutdown, type MachineShutdownEvent, makeMachineShutdown } from "./MachineShutdown.ts"
import { managersOf } from "./resources.ts"

/** A machine with its kubelet, and the network between it and the API server. */
export interface Machine {
  readonly name: string
  readonly group: string | undefined
  readonly host: ModelledHost
  readonly kubelet: Kubelet
  readonly link: Link
  readonly shutdown: MachineShutdown
  /** The Node as this machine's kubelet has registered it long ago; undefined where the plan shows it. */
  readonly registered: Node | undefined
  /** Lets the machine begin: well, or as its cluster was when it was read. */
  readonly start: () => void
  /** Starts the machine anew: it is well then, however it began. */
  readonly boot: () => void
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
  readonly runtimes: PodRuntimesShape
  /** Each kubelet's own way to the API server, before anything happens to its link. */
  readonly connect: (node: string) => Connection
  /** Stands between a kubelet and the runtime of its machine; absent: nothing does. */
  readonly wrapRuntime?: (node: string, runtime: PodRuntime) => PodRuntime
  /** Runs an effect on the clock of `timers`. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Counts what the kubelets do, all together. */
  readonly meter?: KubeletMeter
  readonly onShutdown?: (node: string, event: MachineShutdownEvent) => void
  /** The cloud that kubelets ask for their machines, where they do that themselves. */
  readonly askCloud?: (node: string) => ReturnType<NonNullable<ModelledHostOptions["askCloud"]>>
  /** Makes the recorder of a kubelet's Events, over its link; without it none are made. */
  readonly recorderOf?: (node: string, connection: Connection) => Pick<EventRecorder, "event">
  /** Makes the log of a kubelet; without it none is written. */
  readonly logOf?: (node: string) => ComponentLog
}

const bare = (_: string, runtime: PodRuntime): PodRuntime => runtime

/** Makes a machine with its kubelet, not started yet. */
export const makeMachine = (
  {
    askCloud,
    connect,
    fork,
    logOf,
    meter,
    model,
    onShutdown,
    recorderOf,
    release,
    runtimes,
    seed,
    timers,
    wrapRuntime = bare
  }: MachineOptions,
  { capacity, config, group, health, name, node, podCIDR, staticPods, swapBytes, topology }: MachineSpec
): Machine => {
  const link = makeLink(connect(name), timers, chanceFor(seed, `link ${name}`))
  const allocatable = node?.status?.allocatable
  const info = node?.status?.nodeInfo
  const host = makeModelledHost({
    name,
    capacity,
    resources: timers,
    ...(swapBytes === undefined || swapBytes === 0 ? {} : { swapBytes }),
    ...(askCloud === undefined ? {} : { askCloud: () => askCloud(name) }),
    ...(allocatable === undefined ? {} : { allocatable }),
    ...(info?.operatingSystem === undefined ? {} : { operatingSystem: info.operatingSystem }),
    ...(info?.architecture === undefined ? {} : { architecture: info.architecture })
  })
  const shutdown = makeMachineShutdown({
    timers,
    config,
    kubelet: () => kubelet,
    fork,
    observe: (event) => onShutdown?.(name, event)
  })
  const managers = Result.getOrThrowWith(
    managersOf({ capacity, config, topology }, () => kubelet.knownPods()),
    (refusal) => new Error(`the kubelet of ${name} would not start: ${refusal}`)
  )
  const kubelet: Kubelet = makeKubelet(timers, {
    name,
    connection: link.connection,
    config,
    model,
    release,
    host,
    runtime: wrapRuntime(name, runtimes.of({ name, host, ...(podCIDR === undefined ? {} : { podCIDR }) })),
    seed,
    resourceManagers: managers === undefined ? [] : [managers.admit],
    admission: [shutdown.admit],
    onStop: shutdown.kubeletEnded,
    ...(meter === undefined ? {} : { meter }),
    ...(logOf === undefined ? {} : { log: logOf(name) }),
    ...(recorderOf === undefined ? {} : { recorder: recorderOf(name, link.connection) })
  })
  if (staticPods !== undefined && staticPods.length > 0) kubelet.setStaticPods(staticPods)
  const setting = nodeSetting(host.machine(), config, release)
  const registered = node === undefined ? initialNode(name, setting, nothingWrong, formatTime(timers.now())) : undefined
  return {
    name,
    group,
    host,
    kubelet,
    link,
    shutdown,
    registered,
    start: () => startUnwell(kubelet, health),
    boot: () => bootWell(kubelet, health)
  }
}
