import { formatTime, type Release } from "@rollcall/api"
import type { ComponentLog, Connection, ProcessRecorder } from "@rollcall/cluster"
import {
  type ControlledHost,
  type CredentialPluginsSetting,
  type DeviceDriversShape,
  type HeldBy,
  type HostMachine,
  healthyObservation,
  initialNode,
  type KubeletMeter,
  type KubeletModel,
  type ModelledKubelet,
  makeModelledKubelet,
  type NodeHostsShape,
  nodeSetting,
  type PodRuntimesShape,
  type UsageSink
} from "@rollcall/kubelet"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { GatedRuntime, type StartGateShape } from "./GatedRuntime.ts"
import type { LinksShape } from "./link/Links.ts"
import type { Machine } from "./Machine.ts"
import type { MachineSpec } from "./MachineSpec.ts"
import { ModelledMachine } from "./ModelledMachine.ts"
import { managersOf } from "./resources.ts"
import type { InhibitorsShape } from "./shutdown/Inhibitors.ts"
import type { MachineShutdownEvent } from "./shutdown/MachineShutdown.ts"

/** The settings and services that all machines of a world share. */
export interface MachineOptions {
  readonly timers: TimersShape
  readonly release: Release
  readonly seed: number
  readonly model: KubeletModel
  readonly hosts: NodeHostsShape
  readonly inhibitors: InhibitorsShape
  readonly links: LinksShape
  readonly runtimes: PodRuntimesShape
  /** Each kubelet's undisturbed connection to the API server. */
  readonly connect: (node: string) => Connection
  /** The gate that pods pass before they start; absent if they start at once. */
  readonly startGate?: StartGateShape
  /** The drivers of the machines' devices; absent if they are modelled. */
  readonly deviceDrivers?: DeviceDriversShape
  /** The plugins that have credentials for the registries of images; absent if there are none. */
  readonly credentialPlugins?: CredentialPluginsSetting
  /** Of which kinds, and where, a missing object holds a pod; absent if all do. See KubeletOptions. */
  readonly heldBy?: HeldBy
  /** Counts the operations of all kubelets together; absent if they are not counted. */
  readonly meter?: KubeletMeter
  readonly onShutdown?: (node: string, event: MachineShutdownEvent) => void
  /** Answers kubelets of old releases that ask the cloud for their machine; absent if they do not ask. */
  readonly askCloud?: (node: string) => ReturnType<NonNullable<HostMachine["askCloud"]>>
  /** Makes the recorder of a kubelet's Events, over its link; absent if no Events are recorded. */
  readonly recorderOf?: (node: string, connection: Connection) => ProcessRecorder
  /** Makes the log of a kubelet; absent if nothing is logged. */
  readonly logOf?: (node: string) => ComponentLog
}

/** Thrown if the kubelet of a machine would not start with its configuration. `refusal` is the kubelet's message. */
export class KubeletRefused extends Error {
  readonly refusal: string

  constructor(node: string, refusal: string) {
    super(`the kubelet of ${node} would not start: ${refusal}`)
    this.refusal = refusal
  }
}

const isUsageSink = (host: ControlledHost): host is ControlledHost & UsageSink => host.setPodUsage !== undefined

/** Makes a machine with its kubelet, not started yet. Throws KubeletRefused if the kubelet would not start. */
export const makeMachine = (
  {
    askCloud,
    connect,
    credentialPlugins,
    deviceDrivers,
    heldBy,
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
  {
    capacity,
    checkpoint,
    config,
    group,
    health,
    images,
    name,
    node,
    podCIDR,
    reachedAt,
    runtimeHandlers,
    staticPods,
    swapBytes,
    topology
  }: MachineSpec
): Machine => {
  const link = links.of(name, connect(name))
  const allocatable = node?.status?.allocatable
  const info = node?.status?.nodeInfo
  const host = hosts.of({
    name,
    capacity,
    ...(reachedAt === undefined ? {} : { internalIP: reachedAt.address, kubeletPort: reachedAt.port }),
    ...(swapBytes === undefined || swapBytes === 0 ? {} : { swapBytes }),
    ...(runtimeHandlers === undefined ? {} : { runtimeHandlers }),
    ...(config.podPidsLimit > 0 ? { podPidsLimit: config.podPidsLimit } : {}),
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
  const usageSink = isUsageSink(host) ? { host } : {}
  const runtime = runtimes.of({
    name,
    ...usageSink,
    ...(podCIDR === undefined ? {} : { podCIDR }),
    ...(images === undefined ? {} : { images }),
    ...(runtimeHandlers === undefined ? {} : { runtimeHandlers })
  })
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
    ...(deviceDrivers === undefined ? {} : { deviceDrivers }),
    ...(credentialPlugins === undefined ? {} : { credentialPlugins }),
    ...(heldBy === undefined ? {} : { heldBy }),
    ...(startGate?.filesOfClaim === undefined ? {} : { filesOfClaim: startGate.filesOfClaim }),
    ...(meter === undefined ? {} : { meter }),
    ...(logOf === undefined ? {} : { log: logOf(name) }),
    ...(recorderOf === undefined ? {} : { recorder: recorderOf(name, link.connection) })
  })
  if (staticPods !== undefined && staticPods.length > 0) kubelet.setStaticPods(staticPods)
  const setting = nodeSetting(host.machine(), config, release)
  const registered =
    node === undefined ? initialNode(name, setting, healthyObservation, formatTime(timers.now())) : undefined
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
