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
 * Starts a controller when the first object of the kind, or of one of the kinds, that `counts` accepts exists: until
 * then it costs one watch of each kind, and no caches. In clusters of 100,000 pods this is the cost of having no Job.
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
      const see = (object: ObjectOf<K>) => counts(object) && Deferred.doneUnsafe(found, Effect.void)
      const kinds: ReadonlyArray<K> = typeof kind === "string" ? [kind] : kind
      const looking = yield* Scope.fork(scope)
      for (const one of kinds) {
        yield* get(one, { random: noJitter, handlers: [{ onAdd: see, onUpdate: (_, object) => see(object) }] }).pipe(
          Effect.provideService(Scope.Scope, looking)
        )
      }
      yield* Deferred.await(found).pipe(
        Effect.andThen(Scope.close(looking, Exit.void)),
        // A part that was started before another threw must end before the next try.
        Effect.andThen(Scope.fork(scope)),
        Effect.flatMap((own) =>
          Effect.onError(Layer.buildWithScope(controller, own), (cause) => Scope.close(own, Exit.failCause(cause)))
        ),
        forkController(`start on ${kinds.join(", ")}`)
      )
    })
  )
