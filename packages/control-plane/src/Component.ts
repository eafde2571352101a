import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** A process of the control plane. Stopped, it has forgotten everything; started again it begins anew. */
export interface Component {
  readonly name: string
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** Of several processes the one that works; started, it or whichever is down runs again. Absent: there is but one. */
  readonly leading?: Component
}

/** `layer` may depend on what stops the component: what cannot begin ends its process. */
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
    const whole = typeof layer === "function" ? layer(stop) : layer
    const start = Effect.gen(function* () {
      yield* stop
      const scope = yield* Scope.make()
      running = scope
      yield* Layer.buildWithScope(whole, scope).pipe(Effect.provideContext(context))
    })
    return { name, start, stop }
  })
