import { Cluster } from "@rollcall/cluster"
import { clusterContract } from "@rollcall/cluster/testing"
import { layerMemory } from "@rollcall/store"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiServer, type ApiServerShape } from "../../src/core/index.ts"

const identity = { user: "admin", groups: ["system:masters"], userAgent: "contract" }

const built: { server?: ApiServerShape } = {}

const cluster = Layer.unwrap(
  Effect.map(ApiServer, (server) => {
    built.server = server
    return Cluster.layerConnection(server.connect(identity))
  })
)

clusterContract(
  "API server in process",
  cluster.pipe(Layer.provide(ApiServer.layer()), Layer.provide(layerMemory()), Layer.provide(layerWallClock())),
  { forgetHistory: Effect.suspend(() => built.server?.compact ?? Effect.void) }
)
