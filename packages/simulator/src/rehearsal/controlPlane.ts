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
import { usesDevices } from "../input/usesKinds.ts"
import { followUsage } from "../usage/followUsage.ts"
import { type Clients as ClientsShape, makeClients } from "../world/Clients.ts"
import { scheduleEvents } from "../world/scheduleEvents.ts"
import { withOutsideOwners } from "../world/withOutsideOwners.ts"
import { makeZoneReporter, type ZoneReporter } from "../world/ZoneReporter.ts"
import { Fleet } from "./Fleet.ts"
import { Invariants, Observer, RunTrace } from "./observers.ts"
import { Run } from "./Run.ts"
import { Admin } from "./Server.ts"

/** The control plane starts this long after the kubelets, so that no zone is judged down only because its nodes are new. */
const CONTROL_PLANE_START_MS = 500
/** The modelled cost of a node controller pass: virtual time does not advance while code runs. */
const PASS_MODEL = { baseMs: 2, perNodeMs: 0.01, metersEveryNode: false }
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
      return makeClients(yield* Timers, plan.startMs, (name) =>
        wrap(withOutsideOwners(server.connect(identities.component(name)), plan.outsideOwners))
      )
    })
  )
}

/** Traces the node controllers' decisions for each zone, and samples the zone metrics. */
export class Zones extends Context.Service<Zones, ZoneReporter>()("@rollcall/simulator/Zones") {
  static readonly layer = Layer.effect(
    Zones,
    Effect.gen(function* () {
      const { elapsedMs, plan } = yield* Run
      return makeZoneReporter(yield* RunTrace, plan.startMs, elapsedMs)
    })
  )
}

/** Messages about refused requests, stopped components and other problems of the run, which the result lists as warnings. */
export class RunWarnings extends Context.Service<RunWarnings, Array<string>>()("@rollcall/simulator/RunWarnings") {
  static readonly layer = Layer.sync(RunWarnings, (): Array<string> => [])
}

/** kube-controller-manager, kube-scheduler and cloud-controller-manager, not started yet. */
export class ControlPlane extends Context.Service<ControlPlane, ControlPlaneShape>()(
  "@rollcall/simulator/ControlPlane"
) {
  static readonly layer = Layer.effect(
    ControlPlane,
    Effect.gen(function* () {
      const { given, plan } = yield* Run
      const clients = yield* Clients
      const trace = yield* RunTrace
      const runWarnings = yield* RunWarnings
      const { cloud: planeCloud } = yield* MachineCloud
      const { observer } = yield* Zones
      const { passEnded } = yield* Invariants
      const hasVolumes = plan.storage !== undefined
      const hasDevices = usesDevices(given())
      const settings = { ...plan.settings, placing: yield* placingHere(plan.settings.placing) }
      const plane = yield* makeControlPlane({ ...plan, settings, planeCloud, hasVolumes, hasDevices }, clients, {
        collected: collectedKinds(hasVolumes, hasDevices),
        observer: {
          ...observer,
          passEnded: (pass) => {
            observer.passEnded(pass)
            passEnded()
          }
        },
        electionClient: clients.plain,
        onExit: (component, message) => void runWarnings.push(`${component} ended: ${message}`),
        onLeader: (component, holder) => trace.add("LeaderChanged", { component, holder })
      }).pipe(Effect.provideService(CurrentPassModel, PASS_MODEL))
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

/**
 * Starts the run: elections and kubelets at time 0, and the control plane half a second later. Schedules the scenario's events, and
 * releases the plan's objects.
 */
export const layerStart = Layer.effectDiscard(
  Effect.gen(function* () {
    const { fork, plan, release } = yield* Run
    const timers = yield* Timers
    const server = yield* ApiServer
    const machines = yield* Fleet
    const plane = yield* ControlPlane
    const zones = yield* Zones
    const runWarnings = yield* RunWarnings
    const { cloud } = yield* MachineCloud
    const cloudWarning = cloud === undefined ? yield* unusedCloudProvider : undefined
    if (cloudWarning !== undefined) runWarnings.push(cloudWarning)
    fork("election", plane.elect)
    for (const machine of machines) machine.start()
    timers.after(CONTROL_PLANE_START_MS, () =>
      fork(
        "control plane",
        Effect.forEach(plane.components, ({ start }) => start, { discard: true })
      )
    )
    zones.setSource(plane.zoneMetrics)
    const scrape = () => {
      zones.scrape()
      timers.after(SCRAPE_MS, scrape)
    }
    scrape()
    const admin = yield* Admin
    const observation = yield* Observer
    followUsage({
      usage: plan.usage,
      timers,
      startMs: plan.startMs,
      listen: (pod) => observation.listen({ pod }),
      cluster: admin,
      // A pod that is gone uses nothing.
      send: (patch) => fork("usage", Effect.ignore(patch))
    })
    scheduleEvents({
      plan,
      timers,
      startMs: plan.startMs,
      fork,
      trace: yield* RunTrace,
      cluster: admin,
      drainer: fromConnection(withOutsideOwners(server.connect(identities.drainer), plan.outsideOwners)),
      machines,
      gate: yield* ServerGate,
      cloud: cloud?.modelled,
      components: plane.components,
      observation,
      onRefusal: ({ index }, message) => void runWarnings.push(`spec.events[${index}]: the API refused: ${message}`),
      onWarning: ({ index }, message) => void runWarnings.push(`spec.events[${index}]: ${message}`)
    })
    release()
  })
)
