import {
  type BookmarkSink,
  type Connection,
  ConnectionError,
  type HeartbeatLane,
  type LateBookmark,
  type LateRenewals,
  nextWatchOrder,
  type WatchSink
} from "@rollcall/cluster"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** The availability of the API server, shared by all of its clients. */
export interface ServerGateShape {
  /** Returns a connection that is refused while the server is down. */
  readonly wrap: (connection: Connection) => Connection
  /** Stops the server, which ends all watches with an error, or starts it again. */
  readonly setDown: (down: boolean) => void
}

/** A watch that is open through the gate. */
interface OpenWatch {
  /** Its place in the order in which watches were opened or renewed. */
  order: number
  /** The renewals that it has not been told. */
  late: LateBookmark | undefined
  readonly close: () => void
  readonly sink: WatchSink
}

const gatedBookmarks = ({ attached, told }: BookmarkSink, openWatch: OpenWatch): BookmarkSink => ({
  told,
  attached: (late) => {
    openWatch.late = late
    return attached(late)
  }
})

const gatedRenewals = (renewals: LateRenewals, openWatch: OpenWatch): LateRenewals => ({
  ...renewals,
  renewed: (renewal) => {
    openWatch.order = renewal.order
    renewals.renewed(renewal)
  }
})

const connectionRefused = new ConnectionError({ message: "connect: connection refused" })
const refusal = Result.fail(connectionRefused)

export const makeServerGate = (timers: TimersShape): ServerGateShape => {
  let down = false
  const openWatches = new Set<OpenWatch>()
  const lanes = new Set<HeartbeatLane>()
  /** Lets heartbeats into the columns and through while the server is up. */
  const gated = (lane: HeartbeatLane): HeartbeatLane => {
    lanes.add(lane)
    return {
      ...lane,
      enterRenewals: (owner, times) => (down ? undefined : lane.enterRenewals(owner, times)),
      enterReports: (owner) => (down ? undefined : lane.enterReports(owner)),
      postHeartbeats: (current, next) => (down ? undefined : lane.postHeartbeats(current, next))
    }
  }
  return {
    wrap: (connection) => ({
      ...(connection.heartbeats === undefined ? {} : { heartbeats: gated(connection.heartbeats) }),
      send: (request, reply) => {
        if (!down) return connection.send(request, reply)
        reply(refusal)
        return () => undefined
      },
      watch: (request, sink) => {
        let isOver = false
        if (down) {
          timers.soon(() => {
            if (!isOver) sink.end(connectionRefused)
          })
          return () => {
            isOver = true
          }
        }
        const openWatch: OpenWatch = {
          order: nextWatchOrder(),
          late: undefined,
          close: () => {
            isOver = true
            openWatches.delete(openWatch)
            stop()
          },
          sink
        }
        const stop = connection.watch(request, {
          events: sink.events,
          ...(sink.heartbeats === undefined ? {} : { heartbeats: sink.heartbeats }),
          ...(sink.bookmarks === undefined ? {} : { bookmarks: gatedBookmarks(sink.bookmarks, openWatch) }),
          ...(sink.renewals === undefined ? {} : { renewals: gatedRenewals(sink.renewals, openWatch) }),
          renew: () => {
            const renewal = isOver ? undefined : sink.renew?.()
            if (renewal !== undefined) openWatch.order = nextWatchOrder()
            return renewal
          },
          end: (error) => {
            if (isOver) return
            isOver = true
            openWatches.delete(openWatch)
            sink.end(error)
          }
        })
        openWatches.add(openWatch)
        return openWatch.close
      }
    }),
    setDown: (value) => {
      // What the columns have was told before.
      if (value) for (const { leaveAll } of lanes) leaveAll()
      down = value
      if (!down) return
      for (const { late } of openWatches) late?.settle()
      for (const { close, sink } of [...openWatches].sort((left, right) => left.order - right.order)) {
        close()
        timers.soon(() => sink.end(connectionRefused))
      }
    }
  }
}

/** The service of the gate between all clients and the API server of a world. */
export class ServerGate extends Context.Service<ServerGate, ServerGateShape>()("@rollcall/machines/ServerGate") {
  static readonly layer: Layer.Layer<ServerGate, never, Timers> = Layer.effect(
    ServerGate,
    Effect.map(Timers, makeServerGate)
  )
}
