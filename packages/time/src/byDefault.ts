import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/**
 * Returns a layer that provides a service by `layer`, unless the context provides that service already: then `layer` is
 * not built.
 */
export const byDefault = <I, S, E, R>(port: Context.Key<I, S>, layer: Layer.Layer<I, E, R>): Layer.Layer<I, E, R> =>
  Layer.unwrap(
    Effect.map(
      Effect.serviceOption(port),
      (given): Layer.Layer<I, E, R> => (Option.isSome(given) ? Layer.succeed(port, given.value) : layer)
    )
  )
