import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"

/** Measures how long requests wait inside a wrapper that keeps their order, such as a client-side rate limit. */
export interface Meter {
  /** Stands outside the wrapper. */
  readonly outer: (connection: Connection) => Connection
  /** Stands inside it. */
  readonly inner: (connection: Connection) => Connection
  readonly read: () => { readonly requests: number; readonly longestWaitMs: number; readonly longestWaitAtMs: number }
}

export const makeMeter = (timers: TimersShape): Meter => {
  const asked: Array<number> = []
  let head = 0
  let requests = 0
  let longestWaitMs = 0
  let longestWaitAtMs = 0
  return {
    outer: (connection) => ({
      ...connection,
      send: (request, reply) => {
        asked.push(timers.now())
        connection.send(request, reply)
      }
    }),
    inner: (connection) => ({
      ...connection,
      send: (request, reply) => {
        requests++
        const now = timers.now()
        const wait = now - (asked[head++] ?? now)
        if (head > 1024 && head * 2 > asked.length) {
          asked.splice(0, head)
          head = 0
        }
        if (wait > longestWaitMs) {
          longestWaitMs = wait
          longestWaitAtMs = now
        }
        connection.send(request, reply)
      }
    }),
    read: () => ({ requests, longestWaitMs, longestWaitAtMs })
  }
}
