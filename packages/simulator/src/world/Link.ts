import { type Answer, type Connection, ConnectionError, type WatchEvent } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"

/** When a client gives up on a request that got no answer (the kubelet's heartbeat client: its status update frequency). */
const REQUEST_TIMEOUT_MS = 10_000
/** HTTP/2 health check of client-go: 30 s without a frame, then 15 s for the ping. A silent watch ends after both. */
const WATCH_TIMEOUT_MS = 45_000
/** TCP's first retransmission; each further one takes twice as long. */
const FIRST_RETRANSMISSION_MS = 200

/**
 * The network between one client and the API server. While it is whole and fast it costs a function call.
 *
 * - Cut: requests wait, as packets are lost and sent again; they go through if the link heals within the client's time-out,
 *   else they fail. Watches fall silent, and break after HTTP/2's health check.
 * - Latency: the round trip of each request; watch events come half of it late.
 * - Loss: each lost request is sent again after 200 ms, 400 ms, …, until the client's time-out.
 */
export interface Link {
  readonly connection: Connection
  readonly setCut: (cut: boolean) => void
  readonly setLatency: (roundTripMs: number) => void
  readonly setLoss: (rate: number) => void
}

interface WatchState {
  held: Array<WatchEvent>
  flush: () => void
  breakOff: () => void
}

const timedOut: Answer = Result.fail(
  new ConnectionError({ message: "net/http: request canceled (Client.Timeout exceeded)" })
)
const connectionLost = new ConnectionError({ message: "http2: client connection lost" })

export const makeLink = (to: Connection, timers: TimersShape, random: () => number): Link => {
  let cut = false
  let latencyMs = 0
  let loss = 0
  const waiting = new Set<() => void>()
  const watches = new Set<WatchState>()
  const disturbed = () => cut || latencyMs > 0 || loss > 0

  const retransmissionMs = (): number => {
    let total = 0
    for (let pause = FIRST_RETRANSMISSION_MS; loss > 0 && random() < loss; pause *= 2) {
      total += pause
      if (total >= REQUEST_TIMEOUT_MS) return REQUEST_TIMEOUT_MS
    }
    return total
  }

  const sendDisturbed: Connection["send"] = (request, reply) => {
    let answered = false
    const answer = (result: Answer) => {
      if (answered) return
      answered = true
      timers.cancel(timeout)
      waiting.delete(deliver)
      reply(result)
    }
    const deliver = () => {
      waiting.delete(deliver)
      to.send(request, (result) => {
        if (latencyMs > 0) timers.after(latencyMs / 2, () => answer(result))
        else answer(result)
      })
    }
    const timeout = timers.after(REQUEST_TIMEOUT_MS, () => answer(timedOut))
    const leave = () => {
      if (answered) return
      if (cut) waiting.add(deliver)
      else deliver()
    }
    const delay = latencyMs / 2 + retransmissionMs()
    if (delay >= REQUEST_TIMEOUT_MS) return
    if (delay > 0) timers.after(delay, leave)
    else leave()
  }

  const watch: Connection["watch"] = (request, sink) => {
    let over = false
    let breaking: ReturnType<TimersShape["after"]> | undefined
    const state: WatchState = {
      held: [],
      flush: () => {
        if (breaking !== undefined) timers.cancel(breaking)
        breaking = undefined
        if (over || state.held.length === 0) return
        const batch = state.held
        state.held = []
        sink.events(batch)
      },
      breakOff: () => {
        if (over || breaking !== undefined) return
        breaking = timers.after(WATCH_TIMEOUT_MS, () => {
          if (over) return
          close()
          sink.end(connectionLost)
        })
      }
    }
    const deliver = (batch: ReadonlyArray<WatchEvent>) => {
      if (over) return
      if (cut || state.held.length > 0) state.held.push(...batch)
      else sink.events(batch)
    }
    /** Batches on their way, and when the last of them arrives: what is sent later does not overtake it. */
    let underWay = 0
    let lastArrivesAt = 0
    const stop = to.watch(request, {
      events: (batch) => {
        if (latencyMs === 0 && underWay === 0) {
          deliver(batch)
          return
        }
        underWay++
        lastArrivesAt = Math.max(lastArrivesAt, timers.now() + latencyMs / 2)
        timers.at(lastArrivesAt, () => {
          underWay--
          deliver(batch)
        })
      },
      end: (error) => {
        if (over) return
        over = true
        watches.delete(state)
        sink.end(error)
      }
    })
    const close = () => {
      over = true
      state.held = []
      watches.delete(state)
      if (breaking !== undefined) timers.cancel(breaking)
      stop()
    }
    watches.add(state)
    if (cut) state.breakOff()
    return close
  }

  return {
    connection: {
      send: (request, reply) => {
        if (disturbed()) sendDisturbed(request, reply)
        else to.send(request, reply)
      },
      watch
    },
    setCut: (value) => {
      if (cut === value) return
      cut = value
      for (const state of watches) {
        if (cut) state.breakOff()
        else state.flush()
      }
      if (!cut) for (const deliver of [...waiting]) deliver()
    },
    setLatency: (roundTripMs) => {
      latencyMs = roundTripMs
    },
    setLoss: (rate) => {
      loss = rate
    }
  }
}
