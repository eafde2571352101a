import { layerWallClock, Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Cluster, type Connection, fromConnection, rateLimited, retrying } from "../src/index.ts"
import { clusterContract, FakeServer } from "../src/testing/index.ts"

interface Client {
  readonly connection: Connection
  readonly close: () => void
}

const servers = new WeakMap<object, FakeServer>()
const closers = new WeakMap<object, () => void>()

const layer = (client: (connection: Connection, timers: TimersShape) => Client) =>
  Layer.effect(
    Cluster,
    Effect.map(Timers, (timers) => {
      const server = new FakeServer(timers)
      const { close, connection } = client(server.connection, timers)
      servers.set(connection, server)
      closers.set(connection, close)
      return fromConnection(connection)
    })
  ).pipe(Layer.provide(layerWallClock()))

const forgetHistory = Effect.map(Cluster, ({ connection }) => servers.get(connection)?.forget())
const close = Effect.map(Cluster, ({ connection }) => closers.get(connection)?.())

clusterContract(
  "a fake server",
  layer((connection) => ({ connection, close: () => {} })),
  { forgetHistory }
)

clusterContract(
  "a client with a limit",
  layer((connection, timers) => {
    const limited = rateLimited(connection, { qps: 500, burst: 5, timers })
    return { connection: limited, close: limited.close }
  }),
  { forgetHistory, close }
)

clusterContract(
  "a client that repeats",
  layer((connection, timers) => {
    const repeating = retrying(connection, { timers })
    return { connection: repeating, close: repeating.close }
  }),
  { forgetHistory }
)
