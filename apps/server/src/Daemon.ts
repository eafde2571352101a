import { Cluster } from "@rollcall/cluster"
import { Host, layersOf } from "@rollcall/components"
import {
  clusterStart,
  Fleet,
  Live,
  layerLog,
  playScenario,
  returnMemory,
  ServerProcess,
  upSettings,
  waitForReadyNodes
} from "@rollcall/components/live"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Readiness } from "./Readiness.ts"
import { ServiceManager } from "./ServiceManager.ts"
import { readSettings, variableOf } from "./settings.ts"

/** Waits until the nodes of the running cluster are Ready, reports readiness, plays the scenario if there is one, and never returns. */
const runCluster = Effect.fnUntraced(function* (plan: Effect.Success<ReturnType<typeof upSettings>>["plan"]) {
  const cluster = yield* Cluster
  const fleet = yield* Fleet
  const { setNotReadyReason } = yield* Readiness
  const { notify } = yield* ServiceManager
  const { url } = yield* ServerProcess
  yield* returnMemory
  setNotReadyReason("nodes are not Ready")
  yield* waitForReadyNodes(cluster, fleet.nodesWithoutFault)
  setNotReadyReason(undefined)
  yield* Effect.logInfo("Nodes are Ready").pipe(Effect.annotateLogs({ address: url, nodes: fleet.nodesWithoutFault() }))
  yield* notify("READY=1", `STATUS=${fleet.nodesWithoutFault()} of ${fleet.size()} nodes Ready at ${url}`)
  if (plan !== undefined) yield* playScenario(plan, cluster, fleet)
  return yield* Effect.never
})

/**
 * Reports to probes and the service manager that the daemon stops. It is built last and so finalized first, while the listeners still
 * answer.
 */
const layerShutdownNotice = Layer.effectDiscard(
  Effect.gen(function* () {
    const { setNotReadyReason } = yield* Readiness
    const { notify } = yield* ServiceManager
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.sync(() => setNotReadyReason("the daemon is stopping")),
        notify("STOPPING=1")
      )
    )
  })
)

/**
 * Runs a live cluster as a daemon until it is interrupted. Its settings come from the environment and the settings file ("" if there is
 * none).
 */
export const daemon = Effect.fnUntraced(function* (file: string) {
  const { environment, log, processId, wallClockMs } = yield* Host
  const { metrics, nameSetting, parsed } = yield* readSettings(file, environment)
  const { values } = parsed
  const layers = yield* layersOf(values.layers, "rollcall up")
  const startMs = clusterStart(values["data-dir"], wallClockMs())
  const runDaemon = Effect.gen(function* () {
    const { plan, settings } = yield* Effect.mapError(upSettings(values, parsed), (error) =>
      error._tag === "InvalidInput" ? nameSetting(error) : error
    )
    const server = { ...settings.server, flagNames: { port: variableOf("port"), host: variableOf("bindAddress") } }
    const cluster = layerShutdownNotice.pipe(
      Layer.provideMerge(Live.layer({ ...settings, server })),
      Layer.provideMerge(Readiness.layer(metrics)),
      Layer.provideMerge(ServiceManager.ofEnvironment(environment, processId))
    )
    return yield* Effect.provide(runCluster(plan), cluster)
  })
  const time = layerWallClock({ speed: values.speed, startMs })
  return yield* runDaemon.pipe(
    Effect.scoped,
    Effect.provide(layers.pipe(Layer.provideMerge(time), Layer.provideMerge(layerLog("json", log))))
  )
})
