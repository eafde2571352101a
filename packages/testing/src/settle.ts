import { type Channel, channel } from "node:diagnostics_channel"
import { setImmediate } from "node:timers"
import * as Effect from "effect/Effect"

/** What Node reports of HTTP in this process, of servers and clients. */
const ACTIVITY = [
  "http.server.request.start",
  "http.server.response.finish",
  "http.client.request.start",
  "http.client.response.finish",
  "http2.server.stream.start",
  "http2.server.stream.close",
  "undici:request:create",
  "undici:request:trailers"
]

/** Rounds of the event loop without HTTP after which nothing is under way: a request or an answer takes two or three. */
const QUIET_ROUNDS = 12
/** A program that never rests does not stop the clock. */
const MAX_ROUNDS = 5000

const channels: ReadonlyArray<Channel> = ACTIVITY.map((name) => channel(name))

/**
 * Waits until the requests of this process have been answered and nothing follows from them: controllers that watch the cluster from this process
 * have acted on what they saw. Returns after 5,000 rounds of the event loop in any case.
 */
export const settle: Effect.Effect<void> = Effect.callback<void>((resume) => {
  let quietRounds = 0
  let rounds = 0
  const onActivity = () => {
    quietRounds = 0
  }
  const stop = () => {
    for (const each of channels) each.unsubscribe(onActivity)
  }
  const round = () => {
    quietRounds++
    rounds++
    if (quietRounds <= QUIET_ROUNDS && rounds < MAX_ROUNDS) {
      setImmediate(round)
      return
    }
    stop()
    resume(Effect.void)
  }
  for (const each of channels) each.subscribe(onActivity)
  setImmediate(round)
  return Effect.sync(stop)
})
