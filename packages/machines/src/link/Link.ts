import { type Answer, type Connection, ConnectionError } from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type LinkState, LinkWatch } from "./LinkWatch.ts"

/** The timeout of a request without an answer (the kubelet's heartbeat client: its status update frequency). */
const REQUEST_TIMEOUT_MS = 10_000
/** TCP's first retransmission; each further one takes twice as long. */
const FIRST_RETRANSMISSION_MS = 200

/**
 * The network between one client and the API server. Undisturbed it costs a function call.
 *
 * - Cut: requests wait, since packets are lost and sent again; they go through if the link recovers within the
 *   client's timeout, else they fail. Watches receive nothing, and break after HTTP/2's health check.
 * - Latency: the round trip of each request; watch events arrive half of it late.
 * - Loss: each lost request is sent again after 200 ms, 400 ms, …, until the client's timeout.
 */
export interface Link {
  readonly connection: Connection
  /**
   * Sends one request and its answer over this network, in either direction: calls `ask` when the request has arrived,
   * and `reply` once, with the answer, or with `lost` after `timeoutMs`. Returns a function that cancels: `reply` is
   * then not called. A request in flight still arrives; one that was lost, or waits for the link to recover, is not
   * sent again.
   */
  readonly exchange: <A>(
    timeoutMs: number,
    ask: (answer: (answer: A) => void) => void,
    reply: (answer: A) => void,
    lost: A
  ) => () => void
  readonly setCut: (cut: boolean) => void
  readonly setLatency: (roundTripMs: number) => void
  readonly setLoss: (rate: number) => void
}

const timedOut: Answer = Result.fail(
  new ConnectionError({ message: "net/http: request canceled (Client.Timeout exceeded)" })
)

/** An exchange over an undisturbed network: without delay. An answer may still not come. */
const exchangeWhole = <A>(
  timers: TimersShape,
  timeoutMs: number,
  ask: (answer: (answer: A) => void) => void,
  reply: (answer: A) => void,
  lost: A
): (() => void) => {
  let answered = false
  let timeout: Timer | undefined
  const end = () => {
    answered = true
    if (timeout !== undefined) timers.cancel(timeout)
  }
  const answer = (result: A) => {
    if (answered) return
    end()
    reply(result)
  }
  ask(answer)
  if (!answered) timeout = timers.after(timeoutMs, () => answer(lost))
  return end
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the state of one link, and the calls that pass through it.
export const makeLink = (to: Connection, timers: TimersShape, random: () => number): Link => {
  const state: LinkState = { timers, cut: false, latencyMs: 0, watches: new Set() }
  let loss = 0
  /** Whether the link is cut, delayed or lossy. */
  let disturbed = false
  let waiting: Set<() => void> | undefined
  const changed = () => {
    disturbed = state.cut || state.latencyMs > 0 || loss > 0
  }

  const retransmissionMs = (timeoutMs: number): number => {
    let total = 0
    for (let pause = FIRST_RETRANSMISSION_MS; loss > 0 && random() < loss; pause *= 2) {
      total += pause
      if (total >= timeoutMs) return timeoutMs
    }
    return total
  }

  const exchangeDisturbed: Link["exchange"] = (timeoutMs, ask, reply, lost) => {
    let answered = false
    const end = () => {
      answered = true
      timers.cancel(timeout)
      waiting?.delete(deliver)
    }
    const answer = (result: typeof lost) => {
      if (answered) return
      end()
      reply(result)
    }
    const deliver = () => {
      waiting?.delete(deliver)
      ask((result) => {
        if (state.latencyMs > 0) timers.after(state.latencyMs / 2, () => answer(result))
        else answer(result)
      })
    }
    const timeout = timers.after(timeoutMs, () => answer(lost))
    const lostMs = retransmissionMs(timeoutMs)
    const leave = () => {
      if (answered && (state.cut || lostMs > 0)) return
      if (state.cut) {
        waiting ??= new Set()
        waiting.add(deliver)
      } else deliver()
    }
    const delay = state.latencyMs / 2 + lostMs
    if (delay >= timeoutMs) return end
    if (delay > 0) timers.after(delay, leave)
    else leave()
    return end
  }

  return {
    connection: {
      send: (request, reply) => {
        if (!disturbed) return to.send(request, reply)
        let cancel: (() => void) | undefined
        const end = exchangeDisturbed<Answer>(
          REQUEST_TIMEOUT_MS,
          (answer) => {
            cancel = to.send(request, answer)
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
        const watch = new LinkWatch(state, sink)
        watch.stop = to.watch(request, {
          events: (batch) => watch.events(batch),
          end: (error) => watch.end(error)
        })
        state.watches.add(watch)
        if (state.cut) watch.breakOff()
        return () => watch.close()
      }
    },
    exchange: (timeoutMs, ask, reply, lost) =>
      disturbed ? exchangeDisturbed(timeoutMs, ask, reply, lost) : exchangeWhole(timers, timeoutMs, ask, reply, lost),
    setCut: (cut) => {
      if (state.cut === cut) return
      state.cut = cut
      changed()
      for (const watch of state.watches) {
        if (cut) watch.breakOff()
        else watch.flush()
      }
      if (!cut && waiting !== undefined) for (const deliver of [...waiting]) deliver()
    },
    setLatency: (roundTripMs) => {
      state.latencyMs = roundTripMs
      changed()
    },
    setLoss: (rate) => {
      loss = rate
      changed()
    }
  }
}
