import { releases } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { Cluster, type ClusterShape, fromConnection } from "@rollcall/cluster"
import { identities } from "@rollcall/control-plane"
import { noKubeletSettings, PodRuntimes } from "@rollcall/kubelet"
import { makeServerGate } from "@rollcall/machines"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, type VirtualServices } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { assert } from "vitest"
import { type LiveFleetOptions, liveFleet } from "../src/fleet/Fleet.ts"
import type { FleetGroup } from "../src/fleet/FleetDocument.ts"

export const START = Date.UTC(2026, 0, 1)
const SECOND = 1000

/** A fleet over an API server in memory, in virtual time. */
export const makeWorld = (groups: ReadonlyArray<FleetGroup>, more: Partial<LiveFleetOptions> = {}) => {
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
  const start = () => {
    const own = run(Scope.fork(scope))
    fleetScope = own
    return run(
      liveFleet({
        release: releases["1.36"],
        kubelet: noKubeletSettings,
        seed: 1,
        groups,
        connect: (node) => gate.wrap(server.connect(identities.node(node))),
        components: [],
        gate,
        ...more
      }).pipe(
        Effect.provideService(Cluster, admin),
        Effect.provide(PodRuntimes.layerModelled()),
        Effect.provide(Logger.layer([logger])),
        Scope.provide(own)
      )
    )
  }
  return {
    admin,
    timers: time.timers,
    run,
    start,
    /** The process of the fleet ends; the cluster stays. */
    stop: () => run(Scope.close(fleetScope ?? assert.fail("no fleet"), Exit.void)),
    /** What fleets have logged. */
    lines,
    pass: (seconds: number) => time.runUntil(time.timers.now() + seconds * SECOND),
    now: () => time.timers.now(),
    nodes: () => run(admin.list("Node")).items.map(({ metadata }) => metadata.name),
    leases: () => run(admin.list("Lease")).items.map(({ metadata }) => metadata.name),
    close: () => run(Scope.close(scope, Exit.void))
  }
}

export type World = ReturnType<typeof makeWorld>
