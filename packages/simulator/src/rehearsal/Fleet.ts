import type { Node } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { identities } from "@rollcall/control-plane"
import { invalid } from "@rollcall/input"
import { DeviceDrivers } from "@rollcall/kubelet"
import { type Machine, MachineCloud, Machines, StartGate } from "@rollcall/machines"
import { VirtualClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createLoaded } from "../world/actions.ts"
import { traceShutdown } from "../world/traceShutdown.ts"
import { heldBy } from "./heldBy.ts"
import { makeFleet, modelOf } from "./makeFleet.ts"
import { RunTrace } from "./observers.ts"
import { Run } from "./Run.ts"
import { Admin, isUsedBy } from "./Server.ts"

/** Delays the start of pods until their volumes are attached, and prepares their devices. */
export const layerStorage = Layer.unwrap(
  Effect.map(ApiServer, (server) => {
    const connection = server.connect(identities.admin)
    return Layer.merge(StartGate.layerVolumes(connection), DeviceDrivers.layerModelled(connection))
  })
)

/** The cloud provider of the plan's machines, if it has one. The cloud reports instances as the plan's Node objects describe them. */
export const layerCloud = Layer.unwrap(
  Effect.map(Run, ({ given, plan: { cloud, release, seed } }) => {
    if (cloud === undefined) return MachineCloud.none
    const nodes = new Map(
      [...given().snapshot, ...given().objects].flatMap(({ kind, object }) =>
        kind === "Node" ? [[object.metadata.name ?? "", object as Node] as const] : []
      )
    )
    return MachineCloud.layer({ plan: cloud, release, seed, nodeOf: (name) => nodes.get(name) })
  })
)

/** Makes the plan's machines from the provided ports. */
export const layerMachines = Layer.unwrap(
  Effect.gen(function* () {
    const {
      given,
      plan: { driver, release, seed }
    } = yield* Run
    const server = yield* ApiServer
    const trace = yield* RunTrace
    return Machines.layer({
      release,
      seed,
      model: modelOf({ driver }),
      connect: (name) => server.connect(identities.node(name)),
      heldBy: heldBy(given()),
      onShutdown: (node, event) => traceShutdown(trace, node, event)
    })
  })
)

/** The machines of the plan, each with its own link. Their Nodes are registered; their kubelets are not started yet. */
export class Fleet extends Context.Service<Fleet, ReadonlyArray<Machine>>()("@rollcall/simulator/Fleet") {
  static readonly layer = Layer.effect(
    Fleet,
    Effect.gen(function* () {
      const { given, plan } = yield* Run
      const server = yield* ApiServer
      const { settled } = yield* VirtualClock
      const { cloud } = yield* MachineCloud
      const machines = makeFleet(given(), yield* Machines)
      // Informers must have processed the objects from before time 0 before the machines' objects are added.
      yield* settled
      const asCloudReports = cloud?.settled ?? ((node) => node)
      yield* server
        .restore(machines.flatMap(({ registered }) => (registered === undefined ? [] : asCloudReports(registered))))
        .pipe(Effect.mapError((error) => invalid(plan.file, "spec.cluster.nodes", error.message)))
      return machines
    })
  )
}

/** Creates the objects of the scenario at time 0. */
export const layerObjects = Layer.effectDiscard(
  Effect.gen(function* () {
    const { given, plan } = yield* Run
    const admin = yield* Admin
    for (const storageClass of plan.storage?.classes ?? []) {
      yield* Effect.orDie(admin.create("StorageClass", storageClass))
    }
    for (const loaded of given().objects.filter(isUsedBy(plan))) {
      yield* createLoaded(admin, loaded).pipe(
        Effect.mapError((error) => invalid(loaded.file, loaded.path, error.message))
      )
    }
  })
)
