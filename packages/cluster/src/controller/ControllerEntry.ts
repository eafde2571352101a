import type { KindName, LabelSelector, ObjectOf } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Cluster, ClusterShape } from "../Cluster.ts"
import type { EventRecorder } from "../EventRecorder.ts"
import type { Informer } from "../Informer.ts"
import type { InformerRequest } from "../Informers.ts"
import type { WorkQueue } from "../WorkQueue.ts"

/** What an object was before a change, and what the controller knows. */
export interface Told<K extends KindName> {
  /** Undefined when the object came or went. */
  readonly before: ObjectOf<K> | undefined
  readonly isGone: boolean
  /** As `ControllerParts.cache`. */
  readonly cache: <C extends KindName>(kind: C) => Informer<C>
}

/** Objects that the controller makes: what happens to one is a reason to look at its owner, and at the owner that it had. */
export interface Owned<P extends KindName, K extends KindName> extends Pick<InformerRequest<K>, "indexes"> {
  /** What an owner selects. One of the namespace that no controller has is a reason to look at every owner that selects it. */
  readonly adoptedBy?: (owner: ObjectOf<P>) => LabelSelector | undefined
}

/** Other objects that are known. */
export interface Watched<K extends KindName> extends Omit<InformerRequest<K>, "handlers"> {
  /** The keys to look at when such an object comes, changes or goes. Absent: none. */
  readonly concerns?: (object: ObjectOf<K>, told: Told<K>) => Iterable<string>
}

/** Makes it so for one key, `namespace/name` or the name: reads the caches, and asks the API for what is to change. */
export type Reconcile<E, R = never> = (key: string) => Effect.Effect<void, E, R>

/** What a controller works with. */
export interface ControllerParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly queue: WorkQueue<string>
  /** The cache of a kind that the entry names. A handler that is added to it leaves when the controller ends or begins anew. */
  readonly cache: <K extends KindName>(kind: K) => Informer<K>
  /** A further queue, counted under its name, with workers and back-off of its own. */
  readonly addQueue: <E>(
    name: string,
    workers: number,
    reconcile: Reconcile<E>
  ) => Effect.Effect<WorkQueue<string>, never, Scope.Scope>
}

export interface ControllerEntry<P extends KindName, E, R> {
  /** Its name in Kubernetes: that of its Events and in logs. */
  readonly name: string
  /** Under which name metrics count its queue; absent: under `name`, empty: nowhere. */
  readonly queue?: string
  /** What is looked at when it comes, changes or goes. */
  readonly for: P
  /** Which of these events are a reason to look; absent: all. */
  readonly when?: (object: ObjectOf<P>, told: Told<P>) => boolean
  /** How long after the event, in milliseconds; absent: at once. */
  readonly delayMs?: (object: ObjectOf<P>, told: Told<P>) => number
  readonly owns?: { readonly [K in KindName]?: Owned<P, K> }
  readonly watches?: { readonly [K in KindName]?: Watched<K> }
  /** Keys looked at at a time, by default 1; one key never twice at a time. */
  readonly workers?: number
  /** It records Events: as `name`, or as the component given. */
  readonly records?: boolean | string
  /**
   * Builds what looks at a key, once all caches hold their first list; and anew, if that dies. A key whose look fails or dies is put
   * back after 5 ms, doubling to 1,000 s, within 10 a second and a burst of 100 for all keys.
   */
  readonly reconcile: (
    parts: ControllerParts
  ) => Reconcile<E> | Effect.Effect<Reconcile<E>, never, R | Cluster | Scope.Scope>
  /** Logs a look that failed; absent: as client-go's queues do. */
  readonly onError?: (key: string, error: E) => Effect.Effect<void>
}
