import type { KindName, ObjectOf } from "@rollcall/api"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Cluster } from "../Cluster.ts"
import { type ComponentLog, componentLog, type LogLine } from "../ComponentLog.ts"
import type { Connection } from "../Connection.ts"
import type { EventRecorder } from "../EventRecorder.ts"
import { forkController } from "../forkController.ts"
import type { InformerHandler } from "../InformerHandler.ts"
import { type FollowWrites, followedWrites } from "../SharedWrites.ts"
import { type Work, Workers } from "../Workers.ts"
import { CurrentQueueMeter, type WorkQueue } from "../WorkQueue.ts"
import { Caches } from "./Caches.ts"
import { recorderOf } from "./recorderOf.ts"

/** The services of a controller in plain code. */
export interface PlainParts {
  readonly connection: Connection
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly queue: WorkQueue<string>
  /** Returns the cache of a kind that the controller handles; none is there before `make` has returned. */
  readonly cache: Caches["of"]
  /** As in ControllerParts. */
  readonly followWrites: FollowWrites
}

/** A controller in plain code. */
export interface PlainWork<E> {
  /** The handlers of the kinds that it follows; they add keys to the queue themselves. */
  readonly handlers: { readonly [K in KindName]?: InformerHandler<ObjectOf<K>> }
  /** Processes one key; called once all caches hold their first list. */
  readonly work: Work<E>
}

export interface PlainEntry<E> {
  /** These fields have the meaning of those in ControllerEntry. */
  readonly name: string
  readonly queue: string
  readonly workers: number
  readonly records?: boolean | string
  readonly make: (parts: PlainParts) => PlainWork<E>
  /** The log line of a key whose processing failed; by default nothing is logged. */
  readonly onError?: (key: string, error: E) => LogLine
}

const loggingFailures =
  <E>(work: Work<E>, onError: (key: string, error: E) => LogLine, log: ComponentLog): Work<E> =>
  (key, done, failed) =>
    work(
      key,
      (error) => {
        if (error !== undefined) {
          const { fields, message, severity } = onError(key, error)
          log(severity, message, fields)
        }
        done(error)
      },
      failed
    )

/** Makes a controller as `makeController` does, with callbacks in place of Effects: no fiber and no Effect for each key. */
export const makePlainController = <E>({
  make,
  name,
  onError,
  queue,
  records,
  workers: limit
}: PlainEntry<E>): Layer.Layer<never, never, Cluster | Timers> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { connection, writes } = yield* followedWrites
      const timers = yield* Timers
      const recorder = yield* recorderOf(name, records)
      const workers = new Workers<E>(timers, yield* CurrentQueueMeter, queue, limit)
      const caches = new Caches()
      const followWrites = yield* writes.within
      const made = make({ connection, timers, recorder, queue: workers.queue, cache: caches.of, followWrites })
      const { handlers } = made
      const work = onError === undefined ? made.work : loggingFailures(made.work, onError, yield* componentLog)
      for (const [kind, handler] of Object.entries(handlers)) {
        yield* caches.follow(kind as KindName, { handlers: [handler as InformerHandler<ObjectOf<KindName>>] })
      }
      yield* caches.synced.pipe(Effect.andThen(Effect.sync(() => workers.start(work))), forkController(name))
      yield* Effect.addFinalizer(() => Effect.sync(() => workers.stop()))
    })
  )
