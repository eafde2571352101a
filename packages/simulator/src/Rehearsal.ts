import type { InvalidInput } from "@rollcall/input"
import { NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { Inhibitors, Links, MachineDirectory, ServerGate } from "@rollcall/machines"
import { layerMemory, Store } from "@rollcall/store"
import { byDefault, Timers, VirtualClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Plan } from "./input/Plan.ts"
import { Fleet, layerCloud, layerMachines, layerObjects, layerStorage } from "./rehearsal/Fleet.ts"
import { modelledRuntimesOf } from "./rehearsal/makeFleet.ts"
import { Expectations, Invariants, layerWatching, Observer, Story } from "./rehearsal/Observing.ts"
import { Clients, ControlPlane, layerStart, layerStorageDriver, Refusals, Zones } from "./rehearsal/Plane.ts"
import { Run, type RunOptions, START_MS, seeded } from "./rehearsal/Run.ts"
import { Admin, Audit, layerServer, layerSnapshot } from "./rehearsal/Server.ts"

/** Layers for ports of a world, over its time and nothing else. */
export type PortLayers = Layer.Layer<never, InvalidInput, Timers>

export interface RehearsalOptions extends RunOptions {
  /** Layers for the ports of the world, in the place of its defaults. */
  readonly layers?: PortLayers
}

/** What can be asked of a rehearsal that is built. */
export type RehearsalServices =
  | Run
  | VirtualClock
  | Admin
  | Story
  | Observer
  | Expectations
  | Invariants
  | Clients
  | Zones
  | Refusals

/** The defaults of the ports that a user may bring. */
const layerPorts = Layer.unwrap(
  Effect.gen(function* () {
    const { fork, plan } = yield* Run
    const timers = yield* Timers
    return Layer.mergeAll(
      byDefault(Store, layerMemory()),
      byDefault(PodRuntimes, modelledRuntimesOf(plan)),
      byDefault(NodeHosts, NodeHosts.layerModelled),
      byDefault(Links, Links.layerModelled(plan.seed)),
      byDefault(Inhibitors, Layer.succeed(Inhibitors, Inhibitors.modelled(timers, fork)))
    )
  })
)

/** The API server, its availability, who asked it for what, and the snapshot that it begins with. */
const layerApi = layerSnapshot.pipe(
  Layer.provideMerge(Layer.mergeAll(ServerGate.layer, Audit.layer, Admin.layer)),
  Layer.provideMerge(seeded(layerServer))
)

/** What looks: the trace, what the API shows, what must never happen, what is expected. */
const layerObserving = layerWatching.pipe(
  Layer.provideMerge(Expectations.layer),
  Layer.provideMerge(Invariants.layer),
  Layer.provideMerge(Observer.layer),
  Layer.provideMerge(Layer.merge(Story.layer, MachineDirectory.layer))
)

/** The machines, their cloud and storage, and the objects of the scenario. */
const layerFleet = layerObjects.pipe(
  Layer.provideMerge(Fleet.layer),
  Layer.provideMerge(layerMachines),
  Layer.provideMerge(Layer.merge(layerCloud, layerStorage))
)

/** The processes of the control plane. */
const layerControlPlane = seeded(layerStorageDriver).pipe(
  Layer.provideMerge(seeded(ControlPlane.layer)),
  Layer.provideMerge(Zones.layer),
  Layer.provideMerge(Layer.merge(Clients.layer, Refusals.layer))
)

/**
 * The world of a plan at its time 0. Read from below: virtual time; the ports; the API server; what looks at it; the machines; the
 * control plane; what happens to them. Time moves when the holder of the VirtualClock moves it. Fails if the API refuses an object of
 * the plan. Members of `Layer.merge` do nothing when they are built: their order does not show.
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
    Layer.provide(seeded(layers)),
    Layer.provideMerge(Run.layer(plan, options)),
    VirtualClock.inside,
    Layer.provideMerge(VirtualClock.layer(START_MS))
  )
