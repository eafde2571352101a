import { KubeletTransport, LocalApis } from "@rollcall/api-server/http"
import { Cluster, CurrentQueueMeter, fromConnection } from "@rollcall/cluster"
import { identities, modelledStorageDriver } from "@rollcall/control-plane"
import { DeviceDrivers, modelUpstream } from "@rollcall/kubelet"
import { MachineCloud, MachineDirectory, ServerGate, StartGate, unusedCloudProvider } from "@rollcall/machines"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerProcess } from "../apiserver/ApiServerProcess.ts"
import { ComponentProbes } from "../apiserver/ComponentProbes.ts"
import { layerServerStore } from "../apiserver/serverStore.ts"
import { Fleet } from "../fleet/Fleet.ts"
import { layerLiveMachines } from "../fleet/fleetMachines.ts"
import { fleetTransport } from "../fleet/fleetTransport.ts"
import { resourceMetricsApi } from "../fleet/resourceMetricsApi.ts"
import { makeQueueMeter } from "../serving/queueMetrics.ts"
import { createClasses } from "../up/storage.ts"
import { layerCloudControllers, layerComponents } from "./ControlPlane.ts"
import { type LiveSettings, Settings } from "./LiveSettings.ts"
import { layerMachinePorts } from "./ports.ts"

/** The default ports, which the user's layers can replace. */
const layerPorts = ({ seed, server }: LiveSettings) => Layer.merge(layerServerStore(server), layerMachinePorts(seed))

/** Counts the items in the controllers' queues, for the metrics of the server. */
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

/** The API server, which connects to kubelets over the links of their machines, and serves metrics of their pods. */
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
  ),
  Layer.provide(
    Layer.effect(
      LocalApis,
      Effect.gen(function* () {
        const { get } = yield* MachineDirectory
        const { now } = yield* Timers
        return [resourceMetricsApi(get, now)]
      })
    )
  )
)

/** The administrator's client, without rate limits. */
const layerAdmin = Layer.effect(
  Cluster,
  Effect.map(ServerProcess, ({ server }) => fromConnection(server.connect(identities.admin)))
)

const layerCloud = Layer.unwrap(
  Effect.gen(function* () {
    const { cloud, release, seed } = yield* Settings
    if (cloud !== undefined) return MachineCloud.layer({ plan: cloud, release, seed })
    const unusedProviderWarning = yield* unusedCloudProvider
    if (unusedProviderWarning !== undefined) yield* Effect.logWarning(unusedProviderWarning)
    return MachineCloud.none
  })
)

/**
 * StorageClasses, the driver that provisions and attaches volumes, and the gate that delays pods until theirs are
 * attached.
 */
const layerStorage = Layer.unwrap(
  Effect.gen(function* () {
    const { scenario } = yield* Settings
    const { server } = yield* ServerProcess
    const { wrap } = yield* ServerGate
    const storage = server.connect(identities.storage)
    yield* createClasses(fromConnection(storage), scenario)
    // Claims of any other provisioner are left to the user's own driver; a scenario has none.
    const drivers = scenario === undefined ? {} : undefined
    const gates = Layer.merge(StartGate.layerVolumes(storage), DeviceDrivers.layerModelled(wrap(storage)))
    return gates.pipe(Layer.provideMerge(modelledStorageDriver(wrap(storage), drivers)))
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
 * A complete cluster in one process, in real time. Read the layers from the bottom up: the replaceable ports; the API
 * server; the cloud; the control plane; storage; machines; their fleet. Each starts after those below it, and ends
 * before them.
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
    Layer.provide(Layer.mergeAll(ServerGate.layer, MachineDirectory.layer, ComponentProbes.layer)),
    Layer.provide(layerPorts(settings)),
    Layer.provide(Layer.succeed(Settings, settings))
  )
