import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { Cluster, type ClusterError, type ClusterShape } from "@rollcall/cluster"
import { Host, readCommandLine } from "@rollcall/components"
import {
  checkFault,
  Fleet,
  type FleetFault,
  type FleetTimeout,
  faultsName,
  knownFleet,
  Live,
  layerLog,
  ServerProcess,
  startFault,
  upProgram,
  upSettings,
  waitForReadyNodes,
  waitForSchedulableNodes,
  writeMap
} from "@rollcall/components/live"
import { layerBoundedFiles } from "@rollcall/files"
import type { InvalidInput } from "@rollcall/input"
import { layerMemory } from "@rollcall/store"
import { AdvanceableClock, Timers } from "@rollcall/time"
import type { UserLayers } from "@rollcall/worlds"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { settle } from "./settle.ts"
import { makeTestHost } from "./testHost.ts"

/** What a test says of its cluster. */
export interface ClusterOptions {
  /** The number of modelled nodes, `a-0`, `a-1`, …; 3 by default. */
  readonly nodes?: number
  /** The zones that they are spread over: zone-a with nodes `a-0`, `a-1`, …, zone-b with `b-0`, …; 1 by default. */
  readonly zones?: number
  /** The Kubernetes release, such as 1.33; the newest by default. */
  readonly release?: string
  /** Further flags of `rollcall up`, such as `--authorization-mode=AlwaysAllow`. */
  readonly flags?: ReadonlyArray<string>
  /** Replaces ports, such as the pod runtimes or the scheduler's plugins: `@rollcall/worlds`. */
  readonly layers?: UserLayers
}

/** Which nodes a fault strikes; all nodes if nothing is said. */
export type FaultOptions = Omit<FleetFault, "fault" | "at" | "on" | "refused">

/** A fault that is in force. */
export interface RunningFault {
  readonly id: string
  /** The names of the nodes that it struck. */
  readonly nodes: ReadonlyArray<string>
  /** Ends it; also one that has ended does no harm. */
  readonly end: Effect.Effect<void, ClusterError>
}

/** `InvalidInput` for a wrong option; any other error says why the cluster cannot start. */
export type StartError = InvalidInput | Error

export type FaultError = ClusterError | FleetTimeout | InvalidInput

/** A live cluster in this process: API server, control plane and nodes. */
export interface TestClusterShape {
  /** The administrator's client, in process. */
  readonly client: ClusterShape
  readonly url: string
  /** The path of the administrator's kubeconfig; it is deleted with the cluster. */
  readonly kubeconfigFile: string
  /** The same as text, with its keys and certificates. */
  readonly kubeconfig: string
  /** The cluster's time in milliseconds since the Unix epoch. */
  readonly now: () => number
  /**
   * Lets the cluster's time pass at once. Controllers of this process that watch the cluster act in between, as often as they would have. Those of
   * other processes do not keep up.
   */
  readonly advance: (duration: Duration.Input) => Effect.Effect<void>
  /**
   * Runs an Effect in the cluster's time: what it sleeps passes when the test advances the cluster. Everything else in a test takes the time of the
   * test's own Clock.
   */
  readonly inClusterTime: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Timers>>
  /** Begins a fault by its name in scenarios: `partition`, `crash`, `memoryPressure`, … */
  readonly fault: (name: FleetFault["fault"], options?: FaultOptions) => Effect.Effect<RunningFault, FaultError>
  /** The last 1,000 lines of the components' log. */
  readonly log: () => ReadonlyArray<string>
}

const ALL_NODES: NonNullable<FaultOptions["nodes"]> = { fraction: 1 }

const flagsOf = ({ flags = [], nodes = 3, release, zones = 1 }: ClusterOptions, folder: string) => [
  `--nodes=${nodes}`,
  `--zones=${zones}`,
  "--port=0",
  `--data-dir=${folder}`,
  ...(release === undefined ? [] : [`--release=${release}`]),
  ...flags
]

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "rollcall-test-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
)

/** A fault is under way when the fleet has taken it up, which takes the cluster's time. */
const makeFaults = (client: ClusterShape, inClusterTime: TestClusterShape["inClusterTime"]) => {
  let started = 0
  const end = (id: string) => inClusterTime(Effect.asVoid(writeMap(client, faultsName, { [id]: null })))
  return Effect.fnUntraced(function* (name: FleetFault["fault"], options: FaultOptions = {}) {
    const id = `${name.toLowerCase()}-${++started}`
    const { nodes = ALL_NODES, ...rest } = options
    const { known } = yield* knownFleet(client)
    const checked = yield* Effect.fromResult(checkFault("fault", { ...rest, nodes, fault: name }, "", known))
    const { on = [] } = yield* startFault(client, id, checked)
    return { id, nodes: on, end: end(id) }
  }, inClusterTime)
}

const makeShape = (log: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { kubeconfigFile, url } = yield* ServerProcess
    const client = yield* Cluster
    const fleet = yield* Fleet
    const { advance } = yield* AdvanceableClock
    const timers = yield* Timers
    const clock = yield* Clock.Clock
    const inClusterTime: TestClusterShape["inClusterTime"] = (effect) =>
      effect.pipe(Effect.provideService(Timers, timers), Effect.provideService(Clock.Clock, clock))
    const { readFileString } = yield* FileSystem.FileSystem
    yield* waitForReadyNodes(client, fleet.nodesWithoutFault)
    yield* waitForSchedulableNodes(client, fleet.nodesWithoutFault)
    const shape: TestClusterShape = {
      client,
      url,
      kubeconfigFile,
      kubeconfig: yield* Effect.orDie(readFileString(kubeconfigFile)),
      now: timers.now,
      advance: (duration) => advance(duration, settle),
      inClusterTime,
      fault: makeFaults(client, inClusterTime),
      log: () => [...log]
    }
    return shape
  })

/** The cluster of a test. It ends with its layer, and its folder is deleted. */
export class TestCluster extends Context.Service<TestCluster, TestClusterShape>()("@rollcall/testing/TestCluster") {
  /**
   * A cluster whose nodes are Ready and accept pods. Fails with `InvalidInput` if an option is wrong. Objects are in memory; a layer for the port
   * `Store` keeps them elsewhere. The test keeps its own Clock.
   */
  static readonly layer = (options: ClusterOptions = {}): Layer.Layer<TestCluster, StartError> =>
    Layer.unwrap(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const { host, lines } = yield* makeTestHost(folder)
        const parsed = yield* Effect.fromResult(readCommandLine(upProgram, "startCluster", flagsOf(options, folder)))
        const live = Layer.unwrap(Effect.map(upSettings(parsed.values, parsed), ({ settings }) => Live.layer(settings)))
        return Layer.effect(TestCluster, makeShape(lines)).pipe(
          Layer.provide(live),
          Layer.provide(options.layers ?? Layer.empty),
          Layer.provide(layerMemory()),
          Layer.provide(AdvanceableClock.layer),
          Layer.provide(layerLog("text", host.log)),
          Layer.provide(Layer.succeed(Host, host)),
          Layer.provide(Layer.mergeAll(Layer.provide(layerBoundedFiles, NodeFileSystem.layer), NodePath.layer))
        )
      })
    )
}
