import type { KindName } from "@rollcall/api"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type Cluster, fromConnection } from "../Cluster.ts"
import { forkController } from "../forkController.ts"
import type { InformerRequest } from "../Informers.ts"
import type { Backoff } from "../internal/Retries.ts"
import { followedWrites, type SharedWrites } from "../SharedWrites.ts"
import { runWorkers, WorkQueue } from "../WorkQueue.ts"
import { Caches } from "./Caches.ts"
import type { ControllerEntry, ControllerParts, Reconcile, Watched } from "./ControllerEntry.ts"
import { ownedHandler, primaryHandler, watchedHandler } from "./handlers.ts"
import { makePlainController } from "./PlainController.ts"
import { recorderOf } from "./recorderOf.ts"

const queueOf = (name: string, backoff: Backoff | undefined): ReturnType<typeof WorkQueue.named<string>> =>
  name === "" ? WorkQueue.make<string>({}, "", backoff) : WorkQueue.named<string>(name, backoff)

const followAll = Effect.fnUntraced(function* <P extends KindName, E, R>(
  { delayMs, for: kind, owns = {}, watches = {}, when }: ControllerEntry<P, E, R>,
  queue: WorkQueue<string>,
  caches: Caches
) {
  const conditions = { ...(delayMs === undefined ? {} : { delayMs }), ...(when === undefined ? {} : { when }) }
  yield* caches.follow(kind, { handlers: [primaryHandler<P>(conditions, queue, caches.of)] })
  for (const [name, { indexes = {}, ...owned }] of Object.entries(owns)) {
    const handlers = [ownedHandler<P>(kind, owned as never, queue, caches.of)]
    yield* caches.follow(name as KindName, { indexes: indexes as never, handlers })
  }
  for (const [name, { concerns, ...request }] of Object.entries(watches)) {
    const other = { concerns } as Pick<Watched<KindName>, "concerns">
    const handler = watchedHandler<KindName>(other, queue, caches.of)
    yield* caches.follow(name as KindName, {
      ...(request as InformerRequest<KindName>),
      ...(handler === undefined ? {} : { handlers: [handler] })
    })
  }
})

/** Runs all queues of a controller in a scope of its own: the main one, and those added with `addQueue`. */
const runQueues = <P extends KindName, E, R>(
  { backoff, onError, reconcile, workers = 1 }: ControllerEntry<P, E, R>,
  parts: Omit<ControllerParts, "cache" | "addQueue" | "followWrites">,
  caches: Caches,
  writes: SharedWrites
) =>
  Effect.gen(function* () {
    const addedQueues: Array<Effect.Effect<void>> = []
    const reconciler = reconcile({
      ...parts,
      cache: yield* caches.within,
      followWrites: yield* writes.within,
      addQueue: (queueName, count, reconcileKey, onFailed) =>
        Effect.map(Effect.provideService(queueOf(queueName, backoff), Timers, parts.timers), (queue) => {
          addedQueues.push(runWorkers(queue, count, reconcileKey, onFailed))
          return queue
        })
    })
    const reconcileKey: Reconcile<E> = Effect.isEffect(reconciler) ? yield* reconciler : reconciler
    const main = runWorkers(parts.queue, workers, reconcileKey, onError)
    if (addedQueues.length === 0) yield* main
    else yield* Effect.all([main, ...addedQueues], { concurrency: "unbounded", discard: true })
  })

/**
 * Runs a controller as long as the layer lives, through the Cluster service: the kind it reconciles, the kinds it owns,
 * the kinds it watches, and how it reconciles one key. Upstream: controller-runtime/pkg/builder/controller.go.
 */
const makeController = <P extends KindName, E, R = never>(
  entry: ControllerEntry<P, E, R>
): Layer.Layer<never, never, Cluster | Timers | Exclude<R, Scope.Scope>> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { backoff, name, queue: queueName = entry.name, records } = entry
      const { connection, writes } = yield* followedWrites
      const cluster = fromConnection(connection)
      const timers = yield* Timers
      const recorder = yield* recorderOf(name, records)
      const queue = yield* queueOf(queueName, backoff)
      const caches = new Caches()
      yield* followAll(entry, queue, caches)
      const work = runQueues(entry, { cluster, timers, recorder, queue }, caches, writes)
      yield* caches.synced.pipe(Effect.andThen(work), forkController(name))
    })
  )

/** Makes controllers: layers that run as long as they live. */
export const Controller = { make: makeController, plain: makePlainController }
