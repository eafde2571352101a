import { ApiServer } from "@rollcall/api-server"
import { identities } from "@rollcall/control-plane"
import { invalid } from "@rollcall/input"
import { PodRuntimes } from "@rollcall/kubelet"
import type { FleetCloud, Machine } from "@rollcall/machines"
import { GatedRuntime, MachineDirectory, ModelledStorage, type StartGate } from "@rollcall/machines"
import { Timers, VirtualClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createLoaded } from "../world/actions.ts"
import { traceShutdown } from "../world/traceShutdown.ts"
import { makeFleet } from "./makeFleet.ts"
import { Story } from "./Observing.ts"
import { Run } from "./Run.ts"
import { rehearsedCloud } from "./rehearsedCloud.ts"
import { Admin, concerns, Gate } from "./Server.ts"

/** Holds pods back until their volumes are attached. */
export class Storage extends Context.Service<Storage, StartGate>()("@rollcall/simulator/Storage") {
  static readonly layer = Layer.effect(
    Storage,
    Effect.gen(function* () {
      const server = yield* ApiServer
      const timers = yield* Timers
      const { get } = yield* MachineDirectory
      return new ModelledStorage({ connection: server.connect(identities.admin), timers, machineOf: get })
    })
  )
}

/** The cloud of the plan's machines, if they are of one. */
export class Cloud extends Context.Service<Cloud, { readonly fleet: FleetCloud | undefined }>()(
  "@rollcall/simulator/Cloud"
) {
  static readonly layer = Layer.effect(
    Cloud,
    Effect.gen(function* () {
      const { given } = yield* Run
      const timers = yield* Timers
      const { byName } = yield* MachineDirectory
      return { fleet: rehearsedCloud(given(), timers, byName) }
    })
  )
}

/** The machines of the plan, each behind a link of its own: registered long ago, their kubelets not started yet. */
export class Machines extends Context.Service<Machines, ReadonlyArray<Machine>>()("@rollcall/simulator/Machines") {
  static readonly layer = Layer.effect(
    Machines,
    Effect.gen(function* () {
      const { fork, given, plan } = yield* Run
      const server = yield* ApiServer
      const { settled } = yield* VirtualClock
      const { wrap } = yield* Gate
      const storage = yield* Storage
      const trace = yield* Story
      const directory = yield* MachineDirectory
      const { fleet: cloud } = yield* Cloud
      const machines = makeFleet(given(), {
        timers: yield* Timers,
        runtimes: yield* PodRuntimes,
        wrapRuntime: (node, runtime) => new GatedRuntime(node, runtime, storage),
        connect: (name) => wrap(server.connect(identities.node(name))),
        fork,
        onShutdown: (node, event) => traceShutdown(trace, node, event),
        ...(cloud === undefined || plan.release.cloudControllers === "external" ? {} : { askCloud: cloud.answerTo })
      })
      for (const machine of machines) directory.add(machine)
      // What was there before time 0 has been seen; what comes now happens.
      yield* settled
      const settledIn = cloud?.settled ?? ((node) => node)
      yield* server
        .restore(machines.flatMap(({ registered }) => (registered === undefined ? [] : settledIn(registered))))
        .pipe(Effect.mapError((error) => invalid(plan.file, "spec.cluster.nodes", error.message)))
      return machines
    })
  )
}

/** What the scenario creates at time 0. */
export const layerObjects = Layer.effectDiscard(
  Effect.gen(function* () {
    const { given, plan } = yield* Run
    const admin = yield* Admin
    for (const storageClass of plan.storage?.classes ?? []) {
      yield* Effect.orDie(admin.create("StorageClass", storageClass))
    }
    for (const loaded of given().objects.filter(concerns(plan))) {
      yield* createLoaded(admin, loaded).pipe(
        Effect.mapError((error) => invalid(loaded.file, loaded.path, error.message))
      )
    }
  })
)
