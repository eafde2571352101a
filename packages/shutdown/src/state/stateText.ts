import { formatMicroTime, parseTime } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ShutdownStateError, type ShutdownTimes } from "../ports/ShutdownState.ts"

/** Go's zero time. */
const ZERO = "0001-01-01T00:00:00Z"

/** Returns a time in RFC 3339 as Go writes it, without trailing zeros in the fraction; Go's zero time for no time. */
const timeText = (ms: number | undefined): string =>
  ms === undefined ? ZERO : formatMicroTime(ms).replace(/\.?0*Z$/, "Z")

/** Returns the content of the state file. Upstream: pkg/kubelet/nodeshutdown/storage.go. */
export const formatState = ({ endMs, startMs }: ShutdownTimes): string =>
  JSON.stringify({ startTime: timeText(startMs), endTime: timeText(endMs) })

const Times = Schema.fromJsonString(
  Schema.Struct({ startTime: Schema.optionalKey(Schema.String), endTime: Schema.optionalKey(Schema.String) })
)
const decode = Schema.decodeUnknownEffect(Times)

const timeOf = (text: string | undefined): Effect.Effect<number | undefined, ShutdownStateError> => {
  if (text === undefined || text === ZERO) return Effect.succeed(undefined)
  const ms = parseTime(text)
  return Number.isNaN(ms)
    ? Effect.fail(new ShutdownStateError({ message: `found ${JSON.stringify(text)}, expected a time (RFC 3339)` }))
    : Effect.succeed(ms)
}

/** Parses the content of the state file. Fails with a ShutdownStateError if it is not valid. */
export const parseState = Effect.fnUntraced(function* (text: string) {
  const { endTime, startTime } = yield* decode(text).pipe(
    Effect.mapError(({ message }) => new ShutdownStateError({ message }))
  )
  const startMs = yield* timeOf(startTime)
  const endMs = yield* timeOf(endTime)
  const times: ShutdownTimes = {
    ...(startMs === undefined ? {} : { startMs }),
    ...(endMs === undefined ? {} : { endMs })
  }
  return times
})
