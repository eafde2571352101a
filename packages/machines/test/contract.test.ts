import { ApiServer, type ApiServerShape } from "@rollcall/api-server"
import { Cluster } from "@rollcall/cluster"
import { clusterContract } from "@rollcall/cluster/testing"
import { layerMemory } from "@rollcall/store"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeLink } from "../src/index.ts"

const identity = { user: "admin", groups: ["system:masters"], userAgent: "contract" }

const apiServer: { server?: ApiServerShape } = {}

const layerOverLink = (latencyMs: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const server = yield* ApiServer
      apiServer.server = server
      const link = makeLink(server.connect(identity), yield* Timers, () => 0.5)
      link.setLatency(latencyMs)
      return Cluster.layerConnection(link.connection)
    })
  ).pipe(Layer.provide(ApiServer.layer()), Layer.provide(layerMemory()), Layer.provide(layerWallClock()))

const forgetHistory = Effect.suspend(() => apiServer.server?.compact ?? Effect.void)

clusterContract("a link that is fast", layerOverLink(0), { forgetHistory })
clusterContract("a link with latency", layerOverLink(2), { forgetHistory })
