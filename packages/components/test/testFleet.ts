import { releases } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { Cluster, type ClusterShape, fromConnection } from "@rollcall/cluster"
import { Components, identities } from "@rollcall/control-plane"
import { modelUpstream, noKubeletSettings } from "@rollcall/kubelet"
import { MachineCloud, MachineDirectory, makeServerGate, ServerGate } from "@rollcall/machines"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, type VirtualServices } from "@rollcall/time"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { assert } from "vitest"
import { Fleet, type FleetOptions } from "../src/fleet/Fleet.ts"
import type { FleetGroup } from "../src/fleet/FleetDocument.ts"
import { layerLiveMachines } from "../src/fleet/fleetMachines.ts"
import { layerMachinePorts } from "../src/live/ports.ts"

export const START = Date.UTC(2026, 0, 1)
const SECOND = 1000

/** A fleet with an in-memory API server, in virtual time. */
export const makeTestFleet = (groups: ReadonlyArray<FleetGroup>, more: Partial<FleetOptions> = {}) => {
  const time = makeVirtualTime(START)
  const run = <A, E>(effect: Effect.Effect<A, E, VirtualServices>): A => {
    const exit = time.run(effect)
    return Exit.isSuccess(exit) ? exit.value : assert.fail(String(exit.cause))
  }
  const scope = run(Scope.make())
  const built = run(Layer.buildWithScope(ApiServer.layer({}).pipe(Layer.provide(layerMemory())), scope))
  const server = Context.get(built, ApiServer)
  const admin: ClusterShape = fromConnection(server.connect(identities.admin))
  const gate = makeServerGate(time.timers)
  let fleetScope: Scope.Closeable | undefined
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => {
    lines.push([message].flat().join(" "))
  })
  const machines = layerLiveMachines({
    release: releases["1.36"],
    seed: 1,
    model: { ...modelUpstream, leaseSpread: true },
    connect: (node) => server.connect(identities.node(node))
  })
  const options = { release: releases["1.36"], kubelet: noKubeletSettings, seed: 1, groups, ...more }
  const layerOf = (others: Partial<FleetOptions>) =>
    Fleet.layer({ ...options, ...others }).pipe(
      Layer.provide(machines),
      Layer.provide(layerMachinePorts(1)),
      Layer.provide([Components.none, Layer.succeed(ServerGate, gate), MachineCloud.none]),
      Layer.provide(MachineDirectory.layer),
      Layer.provide([Layer.succeed(Cluster, admin), Logger.layer([logger])])
    )
  /** Starts the fleet in a process of its own; `others` are the options in which this process differs. */
  const start = (others: Partial<FleetOptions> = {}) => {
    const own = run(Scope.fork(scope))
    fleetScope = own
    return Context.get(run(Layer.buildWithScope(layerOf(others), own)), Fleet)
  }
  return {
    admin,
    timers: time.timers,
    run,
    start,
    /** The process of the fleet ends; the cluster stays. */
    stop: () => run(Scope.close(fleetScope ?? assert.fail("no fleet"), Exit.void)),
    /** The log lines of the fleets. */
    lines,
    pass: (seconds: number) => time.runUntil(time.timers.now() + seconds * SECOND),
    now: () => time.timers.now(),
    nodes: () => run(admin.list("Node")).items.map(({ metadata }) => metadata.name),
    leases: () => run(admin.list("Lease")).items.map(({ metadata }) => metadata.name),
    close: () => run(Scope.close(scope, Exit.void))
  }
}

export type TestFleet = ReturnType<typeof makeTestFleet>
