import {
  Cluster,
  type ClusterShape,
  type Connection,
  fromConnection,
  observedByShared,
  type RateLimitedConnection,
  rateLimited
} from "@rollcall/cluster"
import type { ClientLimit, ClientMaker } from "@rollcall/control-plane"
import { makeLink } from "@rollcall/machines"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ClientSummary } from "../Result.ts"
import { LongestWait } from "./LongestWait.ts"

/** The round trip of a request from a control plane component to the API server. */
const ROUND_TRIP_MS = 2

/** Makes the clients of the control plane's components, and records how long their rate limits delayed requests. */
export interface Clients extends ClientMaker {
  /** Returns a client without a rate limit; its requests are not recorded. */
  readonly plain: (name: string) => ClusterShape
  readonly summaries: () => ReadonlyArray<ClientSummary>
}

/** What is known of the requests of one client. Times are on the timers of the run. */
interface ClientRecord {
  readonly limit: ClientLimit
  requests: number
  readonly longestWait: LongestWait
}

/** Makes the clients; `startMs` is time 0, and `connect` returns the connection of a component by name. */
export const makeClients = (timers: TimersShape, startMs: number, connect: (name: string) => Connection): Clients => {
  const records = new Map<string, ClientRecord>()
  const recordOf = (name: string, limit: ClientLimit): ClientRecord => {
    const known = records.get(name)
    if (known !== undefined) return known
    const record: ClientRecord = { limit, requests: 0, longestWait: new LongestWait() }
    records.set(name, record)
    return record
  }
  const connectWithLatency = (name: string): Connection => {
    const direct = connect(name)
    // The random number 1 never selects a request to lose.
    const link = makeLink(direct, timers, () => 1)
    link.setLatency(ROUND_TRIP_MS)
    // Watch events are not delayed: a millisecond on each heartbeat would double the timers and change no outcome.
    return { send: link.connection.send, watch: direct.watch }
  }
  const make = (
    name: string,
    limit: ClientLimit,
    observed: (connection: Connection) => Connection
  ): RateLimitedConnection => {
    const record = recordOf(name, limit)
    return rateLimited(observed(connectWithLatency(name)), {
      ...limit,
      timers,
      onRequest: (_, waitMs) => {
        record.requests++
        record.longestWait.add(timers.now(), waitMs)
      }
    })
  }
  return {
    layer: (name, limit) =>
      Layer.effect(
        Cluster,
        Effect.acquireRelease(
          Effect.map(observedByShared, (observed) => make(name, limit, observed)),
          (connection) => Effect.sync(connection.close)
        ).pipe(Effect.map(fromConnection))
      ),
    plain: (name) => fromConnection(connectWithLatency(name)),
    summaries: () =>
      [...records].map(([client, { limit, longestWait, requests }]) => {
        const { endsMs, waitMs } = longestWait.until(timers.now()) ?? { waitMs: 0, endsMs: startMs }
        return {
          client,
          qps: limit.qps,
          burst: limit.burst,
          requests,
          longestWaitSeconds: Math.round(waitMs) / 1000,
          longestWaitAt: Math.round(endsMs - startMs) / 1000
        }
      })
  }
}
