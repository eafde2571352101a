import type { InvalidInput } from "@rollcall/input"
import { NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { Inhibitors, Links, MachineDirectory, ServerGate } from "@rollcall/machines"
import { layerMemory, Store } from "@rollcall/store"
import { byDefault, Timers, VirtualClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Plan } from "./input/Plan.ts"
import { Clients, ControlPlane, layerStart, layerStorageDriver, RunWarnings, Zones } from "./rehearsal/controlPlane.ts"
import { Fleet, layerCloud, layerMachines, layerObjects, layerStorage } from "./rehearsal/Fleet.ts"
import { modelledRuntimesOf } from "./rehearsal/makeFleet.ts"
import { Expectations, Invariants, layerWatching, Observer, RunTrace } from "./rehearsal/observers.ts"
import { Run, type RunOptions, seeded } from "./rehearsal/Run.ts"
import { Admin, Audit, layerServer, layerSnapshot } from "./rehearsal/Server.ts"
import { layerMetrics } from "./usage/layerMetrics.ts"

/** Layers that replace ports of a rehearsal, such as Store or PodRuntimes. They may require its virtual time and nothing else. */
export type PortLayers = Layer.Layer<never, InvalidInput, Timers>

export interface RehearsalOptions extends RunOptions {
  /** Layers that are used instead of the default ones of their ports. */
  readonly layers?: PortLayers
}

/** The services that a built rehearsal offers. */
export type RehearsalServices =
  | Run
  | VirtualClock
  | Admin
  | RunTrace
  | Observer
  | Expectations
  | Invariants
  | Clients
  | Zones
  | RunWarnings

/** The default layers of the ports that a user can replace. */
const layerPorts = Layer.unwrap(
  Effect.gen(function* () {
    const { fork, plan } = yield* Run
    const timers = yield* Timers
    return Layer.mergeAll(
      byDefault(Store, layerMemory()),
      byDefault(PodRuntimes, modelledRuntimesOf(plan)),
      byDefault(NodeHosts, NodeHosts.layerModelled),
      byDefault(Links, Links.layerModelled(plan.seed)),
      byDefault(
        Inhibitors,
        Layer.succeed(
          Inhibitors,
          Inhibitors.modelled(timers, (effect) => fork("inhibitors", effect))
        )
      )
    )
  })
)

/** The API server, its availability gate, its audit, the administrator's client, and the objects of the snapshot. */
const layerApi = layerSnapshot.pipe(
  Layer.provideMerge(Layer.mergeAll(ServerGate.layer, Audit.layer, Admin.layer)),
  Layer.provideMerge(seeded(layerServer))
)

/** The observers: the trace, the observed state of the API, the invariants, the expectations. */
const layerObserving = layerWatching.pipe(
  Layer.provideMerge(Expectations.layer),
  Layer.provideMerge(Invariants.layer),
  Layer.provideMerge(Observer.layer),
  Layer.provideMerge(Layer.merge(RunTrace.layer, MachineDirectory.layer))
)

/** The machines, their cloud and storage, and the objects of the scenario. */
const layerFleet = layerObjects.pipe(
  Layer.provideMerge(Fleet.layer),
  Layer.provideMerge(layerMachines),
  Layer.provideMerge(Layer.merge(layerCloud, layerStorage))
)

/** The processes of the control plane. */
const layerControlPlane = seeded(layerStorageDriver, "storage driver").pipe(
  Layer.provideMerge(seeded(ControlPlane.layer)),
  Layer.provide(layerMetrics),
  Layer.provideMerge(Zones.layer),
  Layer.provideMerge(Layer.merge(Clients.layer, RunWarnings.layer))
)

/**
 * Builds the rehearsal of a plan, at its time 0. Read the layers from the bottom up: virtual time; the ports; the API server; the
 * observers; the machines; the control plane; the scenario's events. Time moves only when the caller advances the VirtualClock.
 * Fails if the API refuses an object of the plan. The layers inside one `Layer.merge` have no effects while they are built, so their
 * order does not matter.
 */
export const layer = (
  plan: Plan,
  { layers = Layer.empty, ...options }: RehearsalOptions = {}
): Layer.Layer<RehearsalServices, InvalidInput> =>
  layerStart.pipe(
    Layer.provideMerge(layerControlPlane),
    Layer.provideMerge(layerFleet),
    Layer.provideMerge(layerObserving),
    Layer.provideMerge(layerApi),
    Layer.provide(layerPorts),
    Layer.provide(seeded(layers, "layers")),
    Layer.provideMerge(Run.layer(plan, options)),
    VirtualClock.inside,
    Layer.provideMerge(VirtualClock.layer(plan.startMs))
  )
