import type { Server } from "node:http"
import * as Effect from "effect/Effect"
import type { Connections } from "./Connections.ts"
import type { Http2Server } from "./http2Server.ts"
import { inRealTime } from "./inRealTime.ts"

/** How a server that stops ends what it is doing. */
export interface DrainOptions {
  /** How long requests in progress may take. */
  readonly requestsMs: number
  /** The time over which watches are ended, of many 200 a second or more; 0 for all at once. */
  readonly watchesMs: number
  /** Whether it accepts connections until its requests are answered, and answers new ones with 429 (`--shutdown-send-retry-after`). */
  readonly sendRetryAfter: boolean
}

export const defaultDrain: DrainOptions = { requestsMs: 5_000, watchesMs: 0, sendRetryAfter: false }

/** The parts of a handler that a server needs to stop. */
export interface Drained {
  /** Ends all watches within this time, so that their clients do not all reconnect at once. */
  readonly endWatches: (withinMs: number) => void
  /** Answers new requests with an error and `Retry-After` from now on. */
  readonly refuseRequests?: (refusing: "connected" | "all") => void
  readonly connections: Connections
}

/** How often connections are looked for that have become idle. Upstream: net/http's shutdownPollIntervalMax. */
const IDLE_CHECK_MS = 100
/** How long a new connection may take to send its first request. Upstream: net/http, closeIdleConns. */
const UNUSED_MS = 5_000

/**
 * Accepts no more connections, has clients leave those that are open, ends watches and lets requests in progress complete,
 * all in real time. Upstream: apiserver/pkg/server/genericapiserver.go, RunWithContext; net/http, Server.Shutdown.
 */
export const drainServer = (
  { connections, endWatches, refuseRequests }: Drained,
  server: Server,
  http2: Http2Server,
  { requestsMs, sendRetryAfter, watchesMs }: DrainOptions
): Effect.Effect<void> => {
  const limitMs = Math.max(requestsMs, watchesMs)
  const closed = Effect.callback<void>((resume) => {
    if (!sendRetryAfter) refuseRequests?.("connected")
    server.close(() => resume(Effect.void))
    connections.finishAll()
    http2.close()
    endWatches(sendRetryAfter ? 0 : watchesMs)
  })
  const answered = Effect.sync(() => {
    refuseRequests?.("all")
    endWatches(watchesMs)
  }).pipe(
    Effect.andThen(Effect.repeat(Effect.sleep(IDLE_CHECK_MS), { while: () => connections.isAnswering })),
    Effect.timeoutOption(limitMs)
  )
  // HTTP/1 clients keep a connection open after its last answer.
  const closeIdle = Effect.sync(() => server.closeIdleConnections()).pipe(Effect.delay(IDLE_CHECK_MS), Effect.forever)
  const closeUnused = Effect.sync(() => connections.dropUnused()).pipe(
    Effect.delay(UNUSED_MS),
    Effect.andThen(Effect.never)
  )
  const closeRemaining = Effect.sync(() => {
    http2.destroy()
    server.closeAllConnections()
    connections.dropAll()
  })
  const close = Effect.raceAllFirst([closed, closeIdle, closeUnused]).pipe(
    Effect.timeoutOption(limitMs),
    Effect.andThen(closeRemaining)
  )
  return inRealTime(sendRetryAfter ? Effect.andThen(answered, close) : close)
}
