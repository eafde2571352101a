import {
  type Answer,
  type Connection,
  ConnectionError,
  type CutStay,
  type HeartbeatLane,
  type HeartbeatStay,
  type WatchRequest
} from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { LinkExchange } from "./LinkExchange.ts"
import { type LinkEnd, type LinkState, LinkWatch, type WaitingExchange } from "./LinkWatch.ts"

/** The timeout of a request without an answer: that of the kubelet's heartbeat client, its status update frequency. */
const REQUEST_TIMEOUT_MS = 10_000
/** The delay of TCP's first retransmission. Each further one takes twice as long. */
const FIRST_RETRANSMISSION_MS = 200

/**
 * The network between one client and the API server. While it is undisturbed, a request costs one function call.
 *
 * - Cut: requests wait, since packets are lost and sent again. They go through if the link recovers within the client's
 *   timeout, and fail otherwise. Watches receive nothing, and break after HTTP/2's health check; one that is opened now
 *   reaches the server when the link recovers.
 * - Latency: each request takes one round trip. Watch events arrive half a round trip late.
 * - Loss: a lost request is sent again after 200 ms, 400 ms, …, until the client's timeout.
 */
export interface Link {
  readonly connection: Connection
  /**
   * Sends one request and its answer over this network, in either direction. `deliverRequest` is called when the
   * request has arrived. `reply` is called once: with the answer, or with `timeoutAnswer` after `timeoutMs`. Returns a
   * function that cancels: `reply` is then not called. A request in flight still arrives; one that was lost, or that
   * waits for the link to recover, is not sent again.
   */
  readonly exchange: <A>(
    timeoutMs: number,
    deliverRequest: (answer: (answer: A) => void) => void,
    reply: (answer: A) => void,
    timeoutAnswer: A
  ) => () => void
  /** What `openStream` needs of the link. */
  readonly state: LinkState
  readonly setCut: (cut: boolean) => void
  /** Sets the round trip in milliseconds. */
  readonly setLatency: (roundTripMs: number) => void
  /** Sets the share of requests that are lost at each attempt, from 0 to 1. */
  readonly setLoss: (rate: number) => void
}

const timeoutError = new ConnectionError({ message: "net/http: request canceled (Client.Timeout exceeded)" })
const timedOut: Answer = Result.fail(timeoutError)

/**
 * Whether a watch is of one Node, as a kubelet's of its own: what the columns have of that, only this link carries, and it
 * is told before the link changes.
 */
const isOwnNode = ({ fieldSelector, kind }: WatchRequest): boolean =>
  kind === "Node" && fieldSelector?.startsWith("metadata.name=") === true

/** Exchanges a request and its answer without delay. The other side may still not answer. */
const exchangeUndisturbed = <A>(
  timers: TimersShape,
  timeoutMs: number,
  deliverRequest: (answer: (answer: A) => void) => void,
  reply: (answer: A) => void,
  timeoutAnswer: A
): (() => void) => {
  let isOver = false
  let timeout: Timer | undefined
  const end = () => {
    isOver = true
    if (timeout !== undefined) timers.cancel(timeout)
  }
  const answer = (result: A) => {
    if (isOver) return
    end()
    reply(result)
  }
  deliverRequest(answer)
  if (!isOver) timeout = timers.after(timeoutMs, () => answer(timeoutAnswer))
  return end
}

/** The requests that wait, in the order in which they were sent: loops that were taken back send theirs late. */
const waitingInOrder = ({ waiting }: LinkState): ReadonlyArray<WaitingExchange> =>
  waiting === undefined ? [] : [...waiting].sort((left, right) => left.waitsSinceMs - right.waitsSinceMs)

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the state of one link, and the calls that pass through it.
export const makeLink = (target: Connection, timers: TimersShape, random: () => number): Link => {
  const state: LinkState = { timers, cut: false, latencyMs: 0, watches: new Set(), waiting: undefined }
  let loss = 0
  /** Whether the link is cut, delayed or lossy. */
  let disturbed = false
  let renewals: HeartbeatStay | undefined
  let reports: HeartbeatStay | undefined
  /** The loops of reads that only time out. */
  const cutLoops = new Set<() => void>()
  const lane = target.heartbeats
  const heartbeats: HeartbeatLane | undefined = lane && {
    ...lane,
    enterRenewals: (owner, times) => {
      renewals = disturbed ? undefined : lane.enterRenewals(owner, times)
      return renewals
    },
    enterReports: (owner) => {
      const isClear = !disturbed && [...state.watches].every(({ isDisturbed }) => !isDisturbed)
      reports = isClear ? lane.enterReports(owner) : undefined
      return reports
    },
    postHeartbeats: (current, next) => (disturbed ? undefined : lane.postHeartbeats(current, next)),
    enterCut: (leave) => {
      if (!state.cut || state.latencyMs > 0 || loss > 0) return undefined
      cutLoops.add(leave)
      return { ...cutStay, end: () => void cutLoops.delete(leave) }
    }
  }
  const watchesInOrder = (): ReadonlyArray<LinkEnd> => {
    for (const watch of state.watches) watch.settle()
    return [...state.watches].sort((left, right) => left.order - right.order)
  }
  const cutStay: Omit<CutStay, "end"> = {
    timeoutMs: REQUEST_TIMEOUT_MS,
    error: timeoutError,
    sendFrom: (sentAtMs, request, reply) => {
      const deliver = (answer: (answer: Answer) => void) => void target.send(request, answer)
      const exchanged = { timeoutMs: REQUEST_TIMEOUT_MS, deliverRequest: deliver, reply, timeoutAnswer: timedOut }
      new LinkExchange<Answer>(state, exchanged, sentAtMs).start(0)
    }
  }
  /** Takes back what the link has carried without telling it, or what only waits, before the link changes. */
  const leaveColumns = () => {
    for (const leave of cutLoops) {
      cutLoops.delete(leave)
      leave()
    }
    renewals?.leave()
    renewals = undefined
    reports?.leave()
    reports = undefined
    for (const watch of watchesInOrder()) watch.tellBookmarks()
  }
  const updateDisturbed = () => {
    disturbed = state.cut || state.latencyMs > 0 || loss > 0
  }

  /** Draws how long a request is delayed by retransmissions, at most `timeoutMs`. */
  const retransmissionMs = (timeoutMs: number): number => {
    let total = 0
    for (let pause = FIRST_RETRANSMISSION_MS; loss > 0 && random() < loss; pause *= 2) {
      total += pause
      if (total >= timeoutMs) return timeoutMs
    }
    return total
  }

  const exchangeDisturbed: Link["exchange"] = (timeoutMs, deliverRequest, reply, timeoutAnswer) => {
    const exchange = new LinkExchange(state, { timeoutMs, deliverRequest, reply, timeoutAnswer })
    exchange.start(retransmissionMs(timeoutMs))
    return exchange.end
  }

  return {
    connection: {
      ...(heartbeats === undefined ? {} : { heartbeats }),
      send: (request, reply) => {
        if (!disturbed) return target.send(request, reply)
        let cancel: (() => void) | undefined
        const end = exchangeDisturbed<Answer>(
          REQUEST_TIMEOUT_MS,
          (answer) => {
            cancel = target.send(request, answer)
          },
          reply,
          timedOut
        )
        return () => {
          end()
          cancel?.()
        }
      },
      watch: (request, sink) => {
        const watch = new LinkWatch(state, sink, (renewal) =>
          target.watch(renewal === undefined ? request : { ...request, ...renewal }, {
            events: (batch) => watch.events(batch),
            renew: () => watch.renew(),
            ...(isOwnNode(request) && watch.heartbeats !== undefined ? { heartbeats: watch.heartbeats } : {}),
            ...(watch.bookmarks === undefined ? {} : { bookmarks: watch.bookmarks }),
            ...(watch.renewals === undefined ? {} : { renewals: watch.renewals }),
            end: (error) => watch.end(error)
          })
        )
        state.watches.add(watch)
        if (state.cut) watch.breakOff()
        else watch.open()
        return () => watch.close()
      }
    },
    exchange: (timeoutMs, deliverRequest, reply, timeoutAnswer) =>
      disturbed
        ? exchangeDisturbed(timeoutMs, deliverRequest, reply, timeoutAnswer)
        : exchangeUndisturbed(timers, timeoutMs, deliverRequest, reply, timeoutAnswer),
    state,
    setCut: (cut) => {
      if (state.cut === cut) return
      leaveColumns()
      state.cut = cut
      updateDisturbed()
      for (const watch of watchesInOrder()) {
        if (cut) watch.breakOff()
        else watch.flush()
      }
      if (!cut) for (const exchange of waitingInOrder(state)) exchange.transmit()
    },
    setLatency: (roundTripMs) => {
      leaveColumns()
      state.latencyMs = roundTripMs
      updateDisturbed()
    },
    setLoss: (rate) => {
      leaveColumns()
      loss = rate
      updateDisturbed()
    }
  }
}
