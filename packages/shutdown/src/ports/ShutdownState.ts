import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** When the last graceful shutdown began and ended, milliseconds since the epoch. A beginning without an end was cut off. */
export interface ShutdownTimes {
  readonly startMs?: number
  readonly endMs?: number
}

export class ShutdownStateError extends Schema.TaggedError<ShutdownStateError>()("ShutdownStateError", {
  message: Schema.String
}) {}

/** The port to what outlives a shutdown: the kubelet's `graceful_node_shutdown_state`. */
export class ShutdownState extends Context.Service<
  ShutdownState,
  {
    /** Nothing was ever stored: neither time. */
    readonly load: Effect.Effect<ShutdownTimes, ShutdownStateError>
    readonly store: (times: ShutdownTimes) => Effect.Effect<void, ShutdownStateError>
  }
>()("@rollcall/shutdown/ShutdownState") {
  /** Lasts as long as the layer. */
  static readonly layerMemory = Layer.sync(ShutdownState, () => makeMemoryState())
}

/** A state in memory, for a modelled node: it lasts as long as this value. */
export const makeMemoryState = (initial: ShutdownTimes = {}): ShutdownState["Service"] => {
  let times = initial
  return {
    load: Effect.sync(() => times),
    store: (next) =>
      Effect.sync(() => {
        times = next
      })
  }
}
