import { platform } from "node:os"
import type { Release } from "@rollcall/api"
import type { ComponentLog, Connection, ProcessRecorder } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import {
  type CredentialPluginsSetting,
  DeviceDrivers,
  type KubeletConfig,
  type KubeletMeter,
  modelUpstream,
  PodRuntimes,
  reservationStartProblem,
  swapStartProblem
} from "@rollcall/kubelet"
import type { System } from "@rollcall/linux/host"
import { LinuxMachine, layerLinuxHosts, layerLogindInhibitors } from "@rollcall/linux/machine"
import {
  KubeletRefused,
  Links,
  type Machine,
  MachineCloud,
  MachineDirectory,
  Machines,
  ownPodRange,
  ServerGate
} from "@rollcall/machines"
import { byDefault } from "@rollcall/time"
import type { ResourceMetrics } from "@rollcall/topology"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { followManifests } from "./followManifests.ts"
import { stateFolder } from "./stateFolder.ts"

export interface LinuxKubeletOptions {
  readonly name: string
  readonly config: KubeletConfig
  readonly release: Release
  readonly connection: Connection
  /** The log of errors; absent: none. */
  readonly log?: ComponentLog
  readonly recorder: ProcessRecorder
  readonly seed: number
  /** The plugins that have credentials for registries; absent if there are none. */
  readonly credentialPlugins?: CredentialPluginsSetting
  readonly meter?: KubeletMeter
  /** Called with the metrics of the resource managers. */
  readonly onMetrics?: (metrics: ResourceMetrics) => void
  /** The value of `--root-dir`. */
  readonly rootDir: string
  /** The root folder of logind's configuration; absent: `/`. */
  readonly logindRoot?: string
  /** Whether it serves its sockets, for device plugins and for agents that ask for the resources of pods; absent: no. */
  readonly sockets?: boolean
  /** The system that is read; absent: this machine. */
  readonly system?: System
}

const RUNTIME = { runtimeType: "rollcall", runtimeVersion: "modelled" }

/** This machine, and the runtimes in context. */
const layerGiven = Layer.merge(layerLinuxHosts, Layer.effect(PodRuntimes, PodRuntimes))

/** What a kubelet with sockets is made of, and what serves them. It is loaded only for such a kubelet. */
const loadSockets = Effect.fnUntraced(function* (rootDir: string) {
  const { DevicePlugins, layerDraDrivers, layerPluginMachines, serveNodeSockets } = yield* Effect.promise(
    () => import("@rollcall/linux/sockets")
  )
  const plugins = yield* Layer.build(DevicePlugins.layer(rootDir))
  const drivers = yield* Layer.build(byDefault(DeviceDrivers, layerDraDrivers(rootDir)))
  return {
    drivers: Layer.succeedContext(drivers),
    layer: layerPluginMachines(layerGiven).pipe(Layer.provide(Layer.succeedContext(plugins))),
    serve: (...parts: ServedParts) =>
      serveNodeSockets(rootDir, ...parts).pipe(
        Effect.provideContext(plugins),
        Effect.mapError(({ message }) => refuse(message))
      )
  }
})
type NodeSockets = Effect.Success<ReturnType<typeof loadSockets>>
type ServedParts = [kubelet: Machine["kubelet"], managers: NonNullable<Machine["managers"]>]

const refuse = (message: string) => invalid("kubelet", "", message)

/** This machine with its real hardware and shutdown inhibitors; its pods are modelled. */
const layerThisMachine = (
  { connection, credentialPlugins, log, meter, recorder, ...options }: LinuxKubeletOptions,
  sockets: NodeSockets | undefined
) => {
  const { logindRoot, name, release, rootDir, seed, system } = options
  return Machines.layer({
    release,
    seed,
    model: modelUpstream,
    connect: () => connection,
    recorderOf: () => recorder,
    ...(credentialPlugins === undefined ? {} : { credentialPlugins }),
    ...(log === undefined ? {} : { logOf: () => log }),
    ...(meter === undefined ? {} : { meter })
  }).pipe(
    Layer.provide([
      sockets?.layer ?? layerGiven,
      sockets?.drivers ?? Layer.empty,
      layerLogindInhibitors({ rootDir, logindRoot }),
      Links.layerModelled(seed)
    ]),
    Layer.provide([ServerGate.layer, MachineDirectory.layer, MachineCloud.none]),
    Layer.provideMerge(
      LinuxMachine.layer({
        hostname: name,
        versions: { ...RUNTIME, kubeletVersion: release.version },
        rootDir,
        ...(system === undefined ? {} : { system })
      })
    )
  )
}

const run = Effect.fnUntraced(function* (
  { config, name, onMetrics, release, rootDir }: LinuxKubeletOptions,
  sockets: NodeSockets | undefined
) {
  const linux = yield* LinuxMachine
  const { make } = yield* Machines
  const machine = linux.host.machine()
  const problem = swapStartProblem(machine, config, release) ?? reservationStartProblem(machine, config)
  if (problem !== undefined) return yield* refuse(problem)
  const checkpoint = yield* stateFolder(rootDir)
  const topology = linux.topology()
  const made = yield* Effect.try({
    try: () =>
      make({
        name,
        group: undefined,
        config,
        capacity: machine.capacity,
        topology,
        checkpoint,
        podCIDR: ownPodRange(name, new Set())
      }),
    catch: (error) => {
      if (error instanceof KubeletRefused) return refuse(error.refusal)
      throw error
    }
  })
  const { kubelet, managers } = made
  if (managers !== undefined) onMetrics?.(managers.metrics)
  if (sockets !== undefined && managers !== undefined) yield* sockets.serve(kubelet, managers)
  yield* Effect.acquireRelease(
    Effect.sync(() => made.start()),
    () => Effect.sync(() => kubelet.stopKubelet())
  )
  if (linux.cgroupVersion === 1 && release.cgroupV1Warning !== "") {
    kubelet.nodeEvent("Warning", "CgroupV1", release.cgroupV1Warning)
  }
  yield* linux.keepRefreshing(config.nodeStatusUpdateFrequencyMs, () => kubelet.syncNodeStatus())
  yield* followManifests(kubelet)
  yield* Effect.logInfo("Kubelet runs").pipe(Effect.annotateLogs({ node: name, host: "linux", rootDir }))
  return kubelet
})

/**
 * A kubelet that registers the machine that it runs on, with its real processors, memory, disks, addresses and
 * pressure. Its shutdown is delayed through systemd-logind. Its pods run on the provided PodRuntimes. It ends with the
 * scope.
 */
export const linuxKubelet = Effect.fnUntraced(function* (options: LinuxKubeletOptions) {
  if (options.system === undefined && platform() !== "linux") {
    return yield* invalid(
      "command line",
      "--host",
      `this machine runs ${platform()}; only a Linux machine can be a node`
    )
  }
  const sockets = options.sockets === true ? yield* loadSockets(options.rootDir) : undefined
  const services = yield* Layer.build(layerThisMachine(options, sockets))
  return yield* Effect.provideContext(run(options, sockets), services)
})
