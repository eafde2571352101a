import type { KindName, ObjectOf } from "@rollcall/api"
import { type Cluster, forkController, Informers } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** These first checks are not time-critical, so their retries need no jitter. */
const noJitter = () => 0.5

/**
 * Starts a controller when an object exists that is of the kind, or of one of the kinds, and that `counts` accepts.
 * Until then the controller costs one watch of each kind, and none of its caches: a cluster without Jobs does not cache
 * its 100,000 pods for the Job controller.
 */
export const waitForObject = <K extends KindName>(
  kind: K | ReadonlyArray<K>,
  controller: Layer.Layer<never, never, Cluster | Timers>,
  counts: (object: ObjectOf<K>) => boolean = () => true
): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const { get } = yield* Informers
      const found = yield* Deferred.make<void>()
      const completeIfCounted = (object: ObjectOf<K>) => counts(object) && Deferred.doneUnsafe(found, Effect.void)
      const kinds: ReadonlyArray<K> = typeof kind === "string" ? [kind] : kind
      const watchScope = yield* Scope.fork(scope)
      for (const watched of kinds) {
        yield* get(watched, {
          random: noJitter,
          handlers: [{ onAdd: completeIfCounted, onUpdate: (_, object) => completeIfCounted(object) }]
        }).pipe(Effect.provideService(Scope.Scope, watchScope))
      }
      yield* Deferred.await(found).pipe(
        Effect.andThen(Scope.close(watchScope, Exit.void)),
        // forkController retries a start that throws. Each try has its own scope, so that what it started ends first.
        Effect.andThen(Scope.fork(scope)),
        Effect.flatMap((controllerScope) =>
          Effect.onError(Layer.buildWithScope(controller, controllerScope), (cause) =>
            Scope.close(controllerScope, Exit.failCause(cause))
          )
        ),
        forkController(`start on ${kinds.join(", ")}`)
      )
    })
  )
