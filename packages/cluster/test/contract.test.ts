import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Cluster, fromConnection } from "../src/index.ts"
import { clusterContract } from "../src/testing/index.ts"
import { FakeServer } from "./FakeServer.ts"

const servers = new WeakMap<object, FakeServer>()

const layer = Layer.effect(
  Cluster,
  Effect.map(Timers, (timers) => {
    const server = new FakeServer(timers)
    servers.set(server.connection, server)
    return fromConnection(server.connection)
  })
).pipe(Layer.provide(layerWallClock()))

clusterContract("a fake server", layer, {
  forgetHistory: Effect.map(Cluster, ({ connection }) => servers.get(connection)?.forget())
})
