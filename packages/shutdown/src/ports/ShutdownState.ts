import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/**
 * When the last graceful shutdown started and ended, in milliseconds since the Unix epoch. A shutdown without an end
 * was interrupted.
 */
export interface ShutdownTimes {
  readonly startMs?: number
  readonly endMs?: number
}

/** The state could not be read or written. */
export class ShutdownStateError extends Schema.TaggedError<ShutdownStateError>()("ShutdownStateError", {
  message: Schema.String
}) {}

/** The port to the state that survives a shutdown: the kubelet's `graceful_node_shutdown_state`. */
export class ShutdownState extends Context.Service<
  ShutdownState,
  {
    /** Loads the times. Neither is set if none was ever stored. */
    readonly load: Effect.Effect<ShutdownTimes, ShutdownStateError>
    /** Replaces the times. */
    readonly store: (times: ShutdownTimes) => Effect.Effect<void, ShutdownStateError>
  }
>()("@rollcall/shutdown/ShutdownState") {
  /** Keeps the state in memory, as long as the layer lives. */
  static readonly layerMemory = Layer.sync(ShutdownState, () => makeMemoryState())
}

/** Makes a state in memory, for a modelled node. */
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
