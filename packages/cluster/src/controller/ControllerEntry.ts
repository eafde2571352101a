import type { KindName, LabelSelector, ObjectOf } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Cluster, ClusterShape } from "../Cluster.ts"
import type { EventRecorder } from "../EventRecorder.ts"
import type { Informer } from "../Informer.ts"
import type { InformerRequest } from "../Informers.ts"
import type { Backoff } from "../internal/Retries.ts"
import type { FollowWrites } from "../SharedWrites.ts"
import type { WorkQueue } from "../WorkQueue.ts"

/** The context of an event: the object's previous state, and the controller's caches. */
export interface EventContext<K extends KindName> {
  /** The previous state; undefined when the object was added or deleted. */
  readonly before: ObjectOf<K> | undefined
  readonly isDeleted: boolean
  /** Returns the cache of a kind that the entry names. */
  readonly cache: <C extends KindName>(kind: C) => Informer<C>
}

/** A kind whose objects the controller creates. An event of one queues its owner, and the owner that it had before. */
export interface Owned<P extends KindName, K extends KindName> extends Pick<InformerRequest<K>, "indexes"> {
  /**
   * Returns the selector of an owner. An object without a controller queues each owner in its namespace that selects
   * it.
   */
  readonly adoptedBy?: (owner: ObjectOf<P>) => LabelSelector | undefined
}

/** A kind that the controller reads without owning it. */
export interface Watched<K extends KindName> extends Omit<InformerRequest<K>, "handlers"> {
  /** Maps an event of such an object to the keys to reconcile. By default, its events queue nothing. */
  readonly concerns?: (object: ObjectOf<K>, context: EventContext<K>) => Iterable<string>
  /** Whether an update that brings only a heartbeat concerns nothing. */
  readonly ignoresHeartbeats?: boolean
}

/** Reconciles one key, `namespace/name` or the name: reads the caches, and sends the API the changes needed. */
export type Reconcile<E, R = never> = (key: string) => Effect.Effect<void, E, R>

/** The services of a controller. */
export interface ControllerParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly queue: WorkQueue<string>
  /**
   * Returns the cache of a kind that the entry names. A handler added to it is removed when the controller ends or
   * restarts.
   */
  readonly cache: <K extends KindName>(kind: K) => Informer<K>
  /** Follows the writes of a kind: its own, and those of the controllers that it shares writes with. */
  readonly followWrites: FollowWrites
  /** Adds a queue, counted under its name, with its own workers, back-off and log of failures. */
  readonly addQueue: <E>(
    name: string,
    workers: number,
    reconcile: Reconcile<E>,
    onError?: (key: string, error: E) => Effect.Effect<void>
  ) => Effect.Effect<WorkQueue<string>, never, Scope.Scope>
}

export interface ControllerEntry<P extends KindName, E, R> {
  /** The controller's name in Kubernetes, used in its Events and logs. */
  readonly name: string
  /** The name of its queue in metrics, by default `name`. A queue with an empty name is not counted. */
  readonly queue?: string
  /** The kind that the controller reconciles. */
  readonly for: P
  /** Filters the events that queue a key; by default all do. */
  readonly when?: (object: ObjectOf<P>, context: EventContext<P>) => boolean
  /** The delay between the event and the reconcile, in milliseconds; 0 by default. */
  readonly delayMs?: (object: ObjectOf<P>, context: EventContext<P>) => number
  readonly owns?: { readonly [K in KindName]?: Owned<P, K> }
  readonly watches?: { readonly [K in KindName]?: Watched<K> }
  /** The number of keys reconciled at a time, 1 by default; one key is never reconciled twice at a time. */
  readonly workers?: number
  /** The back-off of its queues, if it is not that of client-go. */
  readonly backoff?: Backoff
  /** Whether it records Events: `true` as the component `name`, a string as that component. */
  readonly records?: boolean | string
  /**
   * Builds the reconciler, once all caches hold their first list, and again if it dies. A key whose reconcile fails or
   * dies is queued again: unless `backoff` says otherwise, after 5 ms, doubling to 1,000 s, within 10 a second and a
   * burst of 100 for all keys.
   */
  readonly reconcile: (
    parts: ControllerParts
  ) => Reconcile<E> | Effect.Effect<Reconcile<E>, never, R | Cluster | Scope.Scope>
  /** Logs a failed reconcile; by default it is logged as client-go's queues do. */
  readonly onError?: (key: string, error: E) => Effect.Effect<void>
}
