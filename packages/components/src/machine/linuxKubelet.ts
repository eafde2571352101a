import { platform } from "node:os"
import type { Release } from "@rollcall/api"
import type { ComponentLog, Connection, EventRecorder } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import {
  type Kubelet,
  type KubeletConfig,
  type KubeletMeter,
  makeKubelet,
  PodRuntimes,
  reservationStartProblem,
  swapStartProblem
} from "@rollcall/kubelet"
import { makeLinuxHost, type System } from "@rollcall/linux/host"
import { layerLogind } from "@rollcall/linux/logind"
import { makePodKiller, ownPodRange } from "@rollcall/machines"
import {
  layerStateFile,
  makeShutdownManager,
  PodKiller,
  type ShutdownManagerShape,
  shuttingDownError,
  startLogged
} from "@rollcall/shutdown"
import { Timers } from "@rollcall/time"
import { makeResourceManagers, type ResourceMetrics } from "@rollcall/topology"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { followManifests } from "./followManifests.ts"
import { stateFolder } from "./stateFolder.ts"

export interface LinuxKubeletOptions {
  readonly name: string
  readonly config: KubeletConfig
  readonly release: Release
  readonly connection: Connection
  /** Where it writes what fails; absent: nowhere. */
  readonly log?: ComponentLog
  readonly recorder: Pick<EventRecorder, "event">
  readonly seed: number
  readonly meter?: KubeletMeter
  /** Told what the resource managers count. */
  readonly onMetrics?: (metrics: ResourceMetrics) => void
  /** `--root-dir`. */
  readonly rootDir: string
  /** The folder below which logind's configuration lies; absent: `/`. */
  readonly logindRoot?: string
  /** What is read of the machine; absent: this one. */
  readonly system?: System
}

const RUNTIME = { runtimeType: "rollcall", runtimeVersion: "modelled" }

/** Holds the machine's shutdown back while the pods are ended, for as long as the scope lasts. */
const holdBack = ({ logindRoot, rootDir }: LinuxKubeletOptions, manager: ShutdownManagerShape, kubelet: Kubelet) =>
  manager.active
    ? startLogged(manager).pipe(
        Effect.provide(
          Layer.mergeAll(
            layerLogind(logindRoot === undefined ? {} : { root: logindRoot }),
            layerStateFile(rootDir),
            Layer.succeed(
              PodKiller,
              makePodKiller(() => kubelet)
            )
          )
        ),
        Effect.catchTag("ConfigError", ({ message }) => Effect.logError(message))
      )
    : Effect.void

/**
 * A kubelet that registers the machine it runs on: its processors, memory, disks, addresses and pressure are the machine's own, its
 * shutdown is held back through systemd-logind. Its pods are modelled. It ends with the scope.
 */
export const linuxKubelet = Effect.fnUntraced(function* (options: LinuxKubeletOptions) {
  const { config, connection, name, recorder, release, rootDir, seed, system } = options
  const timers = yield* Timers
  const runtimes = yield* PodRuntimes
  const refuse = (message: string) => invalid("kubelet", "", message)
  if (system === undefined && platform() !== "linux") {
    return yield* invalid(
      "command line",
      "--host",
      `this machine runs ${platform()}; only a Linux machine can be a node`
    )
  }
  const linux = yield* makeLinuxHost({
    hostname: name,
    versions: { ...RUNTIME, kubeletVersion: release.version },
    rootDir,
    ...(system === undefined ? {} : { system })
  })
  const machine = linux.host.machine()
  const problem = swapStartProblem(machine, config, release) ?? reservationStartProblem(machine, config)
  if (problem !== undefined) return yield* refuse(problem)
  const checkpoint = yield* stateFolder(rootDir)
  const manager = makeShutdownManager(config, {
    observe: ({ type }) => {
      if (type === "started") kubelet.setShutdown(shuttingDownError)
      else if (type === "cancelled") kubelet.setShutdown(undefined)
    }
  })
  const managers = yield* makeResourceManagers({
    machine: linux.topology(),
    config,
    checkpoint,
    activePods: () => kubelet.knownPods(),
    now: timers.now
  }).pipe(Result.mapError(refuse), Effect.fromResult)
  options.onMetrics?.(managers.metrics)
  const kubelet: Kubelet = makeKubelet(timers, {
    ...(options.meter === undefined ? {} : { meter: options.meter }),
    ...(options.log === undefined ? {} : { log: options.log }),
    name,
    connection,
    config,
    release,
    seed,
    recorder,
    host: linux.host,
    runtime: runtimes.of({ name, podCIDR: ownPodRange(name, new Set()) }),
    resourceManagers: [managers.admit],
    admission: [manager.admit]
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => kubelet.startKubelet()),
    () => Effect.sync(() => kubelet.stopKubelet())
  )
  if (linux.cgroupVersion === 1 && release.cgroupV1Warning !== "") {
    kubelet.nodeEvent("Warning", "CgroupV1", release.cgroupV1Warning)
  }
  yield* linux.refreshing(config.nodeStatusUpdateFrequencyMs, () => kubelet.syncStatus())
  yield* followManifests(kubelet)
  yield* holdBack(options, manager, kubelet)
  yield* Effect.logInfo("Kubelet runs").pipe(Effect.annotateLogs({ node: name, host: "linux", rootDir }))
  return kubelet
})
