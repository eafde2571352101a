import { type Connection, ConnectionError, type WatchSink } from "@rollcall/cluster"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** The availability of the API server, shared by all of its clients: while it is down every connection is refused. */
export interface ServerGateShape {
  readonly wrap: (connection: Connection) => Connection
  readonly setDown: (down: boolean) => void
}

/** A watch through the gate. */
interface Passage {
  readonly close: () => void
  readonly sink: WatchSink
}

const refused = new ConnectionError({ message: "connect: connection refused" })
const refusal = Result.fail(refused)

export const makeServerGate = (timers: TimersShape): ServerGateShape => {
  let down = false
  const open = new Set<Passage>()
  return {
    wrap: (connection) => ({
      send: (request, reply) => {
        if (!down) return connection.send(request, reply)
        reply(refusal)
        return () => undefined
      },
      watch: (request, sink) => {
        let over = false
        if (down) {
          timers.soon(() => {
            if (!over) sink.end(refused)
          })
          return () => {
            over = true
          }
        }
        const passage: Passage = {
          close: () => {
            over = true
            open.delete(passage)
            stop()
          },
          sink
        }
        const stop = connection.watch(request, {
          events: sink.events,
          end: (error) => {
            if (over) return
            over = true
            open.delete(passage)
            sink.end(error)
          }
        })
        open.add(passage)
        return passage.close
      }
    }),
    setDown: (value) => {
      down = value
      if (!down) return
      for (const { close, sink } of [...open]) {
        close()
        timers.soon(() => sink.end(refused))
      }
    }
  }
}

/** The gate between all clients and the API server of a world. */
export class ServerGate extends Context.Service<ServerGate, ServerGateShape>()("@rollcall/machines/ServerGate") {
  static readonly layer: Layer.Layer<ServerGate, never, Timers> = Layer.effect(
    ServerGate,
    Effect.map(Timers, makeServerGate)
  )
}
