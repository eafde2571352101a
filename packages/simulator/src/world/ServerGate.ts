import { type Connection, ConnectionError } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"

/** The API server's own availability, shared by all of its clients: while it is down every connection is refused. */
export interface ServerGate {
  readonly wrap: (connection: Connection) => Connection
  readonly setDown: (down: boolean) => void
}

const refused = new ConnectionError({ message: "connect: connection refused" })
const refusal = Result.fail(refused)

export const makeServerGate = (timers: TimersShape): ServerGate => {
  let down = false
  const breakers = new Set<() => void>()
  return {
    wrap: (connection) => ({
      send: (request, reply) => {
        if (down) reply(refusal)
        else connection.send(request, reply)
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
        const close = () => {
          over = true
          breakers.delete(breakOff)
          stop()
        }
        const breakOff = () => {
          close()
          timers.soon(() => sink.end(refused))
        }
        const stop = connection.watch(request, {
          events: sink.events,
          end: (error) => {
            if (over) return
            over = true
            breakers.delete(breakOff)
            sink.end(error)
          }
        })
        breakers.add(breakOff)
        return close
      }
    }),
    setDown: (value) => {
      down = value
      if (down) for (const breakOff of [...breakers]) breakOff()
    }
  }
}
