import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/**
 * When the last graceful shutdown started and ended, in milliseconds since the epoch. A start without an end was cut
 * off.
 */
export interface ShutdownTimes {
  readonly startMs?: number
  readonly endMs?: number
}

export class ShutdownStateError extends Schema.TaggedError<ShutdownStateError>()("ShutdownStateError", {
  message: Schema.String
}) {}

/** The port to the state that survives a shutdown: the kubelet's `graceful_node_shutdown_state`. */
export class ShutdownState extends Context.Service<
  ShutdownState,
  {
    /** Loads the times; neither is set when none was ever stored. */
    readonly load: Effect.Effect<ShutdownTimes, ShutdownStateError>
    readonly store: (times: ShutdownTimes) => Effect.Effect<void, ShutdownStateError>
  }
>()("@rollcall/shutdown/ShutdownState") {
  /** In memory, for as long as the layer lives. */
  static readonly layerMemory = Layer.sync(ShutdownState, () => makeMemoryState())
}

/** A state in memory, for a modelled node. */
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
