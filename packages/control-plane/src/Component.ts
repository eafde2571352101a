import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** A process of the control plane. It keeps no state between a stop and the next start. */
export interface Component {
  readonly name: string
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** Whether it runs now; of several replicas, whether any does. */
  readonly isRunning: () => boolean
  /**
   * The replica that leads, of several. Starting it restarts that replica, or starts the replicas that are down.
   * It is absent if there is only one replica.
   */
  readonly leading?: Component
}

/**
 * Makes a component of a layer. `layer` may be a function of the component's own `stop`, for a fatal error that must
 * end the process.
 */
export const makeComponent = <A, R>(
  name: string,
  layer: Layer.Layer<A, never, R> | ((stop: Effect.Effect<void>) => Layer.Layer<A, never, R>)
): Effect.Effect<Component, never, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    let running: Scope.Closeable | undefined
    const stop = Effect.suspend(() => {
      if (running === undefined) return Effect.void
      const scope = running
      running = undefined
      return Scope.close(scope, Exit.void)
    })
    const componentLayer = typeof layer === "function" ? layer(stop) : layer
    const start = Effect.gen(function* () {
      yield* stop
      const scope = yield* Scope.make()
      running = scope
      yield* Layer.buildWithScope(componentLayer, scope).pipe(Effect.provideContext(context))
    })
    return { name, start, stop, isRunning: () => running !== undefined }
  })
