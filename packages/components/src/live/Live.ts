import { KubeletTransport } from "@rollcall/api-server/http"
import { Cluster, CurrentQueueMeter, fromConnection } from "@rollcall/cluster"
import { identities, modelledStorageDriver } from "@rollcall/control-plane"
import { modelUpstream } from "@rollcall/kubelet"
import { MachineCloud, MachineDirectory, ServerGate, StartGate, unusedCloudProvider } from "@rollcall/machines"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerServerStore, ServerProcess } from "../apiserver/ApiServerProcess.ts"
import { Fleet } from "../fleet/Fleet.ts"
import { layerLiveMachines } from "../fleet/fleetMachines.ts"
import { fleetTransport } from "../fleet/fleetTransport.ts"
import { makeQueueMeter } from "../serving/queueMetrics.ts"
import { createClasses } from "../up/storage.ts"
import { layerCloudControllers, layerComponents } from "./ControlPlane.ts"
import { type LiveSettings, Settings } from "./LiveSettings.ts"
import { layerMachinePorts } from "./ports.ts"

/** What the layers of a user stand in for. */
const layerPorts = ({ seed, server }: LiveSettings) => Layer.merge(layerServerStore(server), layerMachinePorts(seed))

/** Counts what waits in the controllers' queues, for the metrics of the server. */
class Meter extends Context.Service<Meter, ReturnType<typeof makeQueueMeter>>()("@rollcall/components/Meter") {
  static readonly layer = Layer.effect(
    Meter,
    Effect.gen(function* () {
      const { now } = yield* Timers
      return makeQueueMeter(yield* Effect.context<never>(), now)
    })
  )
}

const layerMeter = Layer.effect(CurrentQueueMeter, Meter).pipe(Layer.provideMerge(Meter.layer))

/** The API server's process, which reaches kubelets over the links of their machines. */
const layerServer = Layer.unwrap(
  Effect.gen(function* () {
    const { server } = yield* Settings
    const { collect } = yield* Meter
    return ServerProcess.layer({ ...server, collect })
  })
).pipe(
  Layer.provide(
    Layer.effect(
      KubeletTransport,
      Effect.map(MachineDirectory, ({ get }) => fleetTransport(get))
    )
  )
)

/** The administrator, without limits. */
const layerAdmin = Layer.effect(
  Cluster,
  Effect.map(ServerProcess, ({ server }) => fromConnection(server.connect(identities.admin)))
)

const layerCloud = Layer.unwrap(
  Effect.gen(function* () {
    const { cloud, release, seed } = yield* Settings
    if (cloud !== undefined) return MachineCloud.layer({ plan: cloud, release, seed })
    const unasked = yield* unusedCloudProvider
    if (unasked !== undefined) yield* Effect.logWarning(unasked)
    return MachineCloud.none
  })
)

/** Classes, the driver that makes and attaches volumes, and the gate at which pods wait for theirs. */
const layerStorage = Layer.unwrap(
  Effect.gen(function* () {
    const { scenario } = yield* Settings
    const { server } = yield* ServerProcess
    const { wrap } = yield* ServerGate
    const storage = server.connect(identities.storage)
    yield* createClasses(fromConnection(storage), scenario)
    // Drivers of other names are of those who try them here; a scenario has none of them.
    const drivers = scenario === undefined ? {} : undefined
    return StartGate.layerVolumes(storage).pipe(Layer.provideMerge(modelledStorageDriver(wrap(storage), drivers)))
  })
)

const layerMachines = Layer.unwrap(
  Effect.gen(function* () {
    const { release, seed } = yield* Settings
    const { server } = yield* ServerProcess
    return layerLiveMachines({
      release,
      seed,
      model: { ...modelUpstream, leaseSpread: true },
      connect: (node) => server.connect(identities.node(node))
    })
  })
)

const layerFleet = Layer.unwrap(
  Effect.map(Settings, ({ controlPlane, groups, kubelet, release, seed }) =>
    Fleet.layer({
      release,
      kubelet,
      seed,
      groups,
      assignsPodCIDRs: controlPlane.controllerManager.allocateNodeCIDRs === true
    })
  )
)

/**
 * A whole cluster in one process, over time that passes by itself. Read from below: what a user may bring; the API server; the cloud; the
 * control plane; storage; machines; their fleet. Each begins when all below it has, and ends before.
 */
export const layer = (settings: LiveSettings) =>
  layerCloudControllers.pipe(
    Layer.provideMerge(layerFleet),
    Layer.provide(layerMachines),
    Layer.provide(layerStorage),
    Layer.provideMerge(layerComponents.pipe(Layer.provide(layerMeter))),
    Layer.provide(layerCloud),
    Layer.provideMerge(layerAdmin),
    Layer.provideMerge(layerServer.pipe(Layer.provide(layerMeter))),
    Layer.provide(Layer.merge(ServerGate.layer, MachineDirectory.layer)),
    Layer.provide(layerPorts(settings)),
    Layer.provide(Layer.succeed(Settings, settings))
  )
