import { ApiServer } from "@rollcall/api-server"
import { fromConnection } from "@rollcall/cluster"
import {
  type ControlPlane as ControlPlaneShape,
  identities,
  makeControlPlane,
  modelledStorageDriver,
  placingHere
} from "@rollcall/control-plane"
import { MachineCloud, ServerGate, unusedCloudProvider } from "@rollcall/machines"
import { CurrentPassModel } from "@rollcall/node-controller"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { collectedKinds } from "../input/kinds.ts"
import { type Clients as ClientsShape, makeClients } from "../world/Clients.ts"
import { scheduleEvents } from "../world/scheduleEvents.ts"
import { withOutsideOwners } from "../world/withOutsideOwners.ts"
import { makeZoneReporter, type ZoneReporter } from "../world/ZoneReporter.ts"
import { Fleet } from "./Fleet.ts"
import { Invariants, Observer, RunTrace } from "./observers.ts"
import { Run, START_MS } from "./Run.ts"
import { Admin } from "./Server.ts"

/** The control plane starts this long after the kubelets, so that no zone is judged down only because its nodes are new. */
const CONTROL_PLANE_START_MS = 500
/** The modelled cost of a node controller pass: virtual time does not advance while code runs. */
const PASSES = { baseMs: 2, perNodeMs: 0.01, metersEveryNode: false }
/** How often the controllers' metrics are scraped. */
const SCRAPE_MS = 1_000

/** The clients of the control plane's components. */
export class Clients extends Context.Service<Clients, ClientsShape>()("@rollcall/simulator/Clients") {
  static readonly layer = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const { plan } = yield* Run
      const server = yield* ApiServer
      const { wrap } = yield* ServerGate
      return makeClients(yield* Timers, START_MS, (name) =>
        wrap(withOutsideOwners(server.connect(identities.component(name)), plan.outside))
      )
    })
  )
}

/** Traces the node controllers' decisions for each zone, and samples the zone metrics. */
export class Zones extends Context.Service<Zones, ZoneReporter>()("@rollcall/simulator/Zones") {
  static readonly layer = Layer.effect(
    Zones,
    Effect.gen(function* () {
      const { elapsedMs } = yield* Run
      return makeZoneReporter(yield* RunTrace, START_MS, elapsedMs)
    })
  )
}

/** Messages of refused requests, stopped components and other problems: the result lists them as warnings. */
export class Refusals extends Context.Service<Refusals, Array<string>>()("@rollcall/simulator/Refusals") {
  static readonly layer = Layer.sync(Refusals, (): Array<string> => [])
}

/** kube-controller-manager, kube-scheduler and cloud-controller-manager, not started yet. */
export class ControlPlane extends Context.Service<ControlPlane, ControlPlaneShape>()(
  "@rollcall/simulator/ControlPlane"
) {
  static readonly layer = Layer.effect(
    ControlPlane,
    Effect.gen(function* () {
      const { plan } = yield* Run
      const clients = yield* Clients
      const trace = yield* RunTrace
      const refusals = yield* Refusals
      const { cloud: planeCloud } = yield* MachineCloud
      const { observer } = yield* Zones
      const { passEnded } = yield* Invariants
      const hasVolumes = plan.storage !== undefined
      const settings = { ...plan.settings, placing: yield* placingHere(plan.settings.placing) }
      const plane = yield* makeControlPlane({ ...plan, settings, planeCloud, hasVolumes }, clients, {
        collected: collectedKinds(hasVolumes),
        observer: {
          ...observer,
          passEnded: (pass) => {
            observer.passEnded(pass)
            passEnded()
          }
        },
        electionClient: clients.plain,
        onExit: (component, message) => void refusals.push(`${component} ended: ${message}`),
        onLeader: (component, holder) => trace.add("LeaderChanged", { component, holder })
      }).pipe(Effect.provideService(CurrentPassModel, PASSES))
      yield* Effect.addFinalizer(() => Effect.forEach(plane.components, ({ stop }) => stop, { discard: true }))
      return plane
    })
  )
}

/** The driver that provisions, attaches and deletes volumes, if the plan has storage. */
export const layerStorageDriver = Layer.unwrap(
  Effect.gen(function* () {
    const { plan } = yield* Run
    const server = yield* ApiServer
    const { wrap } = yield* ServerGate
    return plan.storage === undefined ? Layer.empty : modelledStorageDriver(wrap(server.connect(identities.storage)))
  })
)

/** Starts the run: elections and kubelets at time 0, the control plane half a second later; schedules the scenario's events. */
export const layerStart = Layer.effectDiscard(
  Effect.gen(function* () {
    const { fork, plan, release } = yield* Run
    const timers = yield* Timers
    const server = yield* ApiServer
    const machines = yield* Fleet
    const plane = yield* ControlPlane
    const zones = yield* Zones
    const refusals = yield* Refusals
    const { cloud } = yield* MachineCloud
    const unasked = cloud === undefined ? yield* unusedCloudProvider : undefined
    if (unasked !== undefined) refusals.push(unasked)
    fork("election", plane.elect)
    for (const machine of machines) machine.start()
    timers.after(CONTROL_PLANE_START_MS, () =>
      fork(
        "control plane",
        Effect.forEach(plane.components, ({ start }) => start, { discard: true })
      )
    )
    zones.follow(plane.zoneMetrics)
    const scrape = () => {
      zones.scrape()
      timers.after(SCRAPE_MS, scrape)
    }
    scrape()
    scheduleEvents({
      plan,
      timers,
      startMs: START_MS,
      fork,
      trace: yield* RunTrace,
      cluster: yield* Admin,
      drainer: fromConnection(withOutsideOwners(server.connect(identities.drainer), plan.outside)),
      machines,
      gate: yield* ServerGate,
      cloud: cloud?.modelled,
      components: plane.components,
      observation: yield* Observer,
      onRefusal: ({ index }, message) => void refusals.push(`spec.events[${index}]: the API refused: ${message}`),
      onWarning: ({ index }, message) => void refusals.push(`spec.events[${index}]: ${message}`)
    })
    release()
  })
)
