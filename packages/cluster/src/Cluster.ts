import type { DeleteOptions, KindName, KubeObject, ListOf, ObjectOf, Status } from "@rollcall/api"
import { Timers } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ClusterError } from "./ClusterError.ts"
import type {
  ApiRequest,
  Connection,
  GetRequest,
  ListRequest,
  PatchType,
  Subresource,
  WatchEvent,
  WatchRequest
} from "./Connection.ts"
import { checkedAnswer } from "./checkedAnswer.ts"
import { type RateLimitOptions, rateLimited } from "./RateLimit.ts"

/** Name and, for namespaced kinds, namespace. */
export interface ObjectKey {
  readonly namespace?: string | undefined
  readonly name: string
}

type Without<Request, Keys extends string> = Omit<Request, "verb" | "kind" | Keys>

export interface WriteOptions {
  readonly subresource?: Subresource
  readonly fieldManager?: string
  readonly dryRun?: boolean
}

/** The API client of every component: controllers, scheduler, kubelets (packages on floor 4). */
export interface ClusterShape {
  /** The callback form, for state machines and connection wrappers. */
  readonly connection: Connection
  readonly get: <K extends KindName>(
    kind: K,
    key: ObjectKey,
    options?: Pick<GetRequest, "resourceVersion">
  ) => Effect.Effect<ObjectOf<K>, ClusterError>
  readonly list: <K extends KindName>(
    kind: K,
    options?: Without<ListRequest, never>
  ) => Effect.Effect<ListOf<K>, ClusterError>
  /** Completes when the server closes the watch; fails when the watch breaks. */
  readonly watch: <K extends KindName>(
    kind: K,
    options?: Without<WatchRequest, never>
  ) => Stream.Stream<WatchEvent<ObjectOf<K>>, ClusterError>
  readonly create: <K extends KindName>(
    kind: K,
    object: ObjectOf<K>,
    options?: WriteOptions
  ) => Effect.Effect<ObjectOf<K>, ClusterError>
  /** Writes the object under its own name. With a resourceVersion, only if that is still the current one. */
  readonly update: <K extends KindName>(
    kind: K,
    object: ObjectOf<K>,
    options?: WriteOptions
  ) => Effect.Effect<ObjectOf<K>, ClusterError>
  readonly updateStatus: <K extends KindName>(
    kind: K,
    object: ObjectOf<K>,
    options?: WriteOptions
  ) => Effect.Effect<ObjectOf<K>, ClusterError>
  readonly patch: <K extends KindName>(
    kind: K,
    key: ObjectKey,
    patchType: PatchType,
    body: unknown,
    options?: WriteOptions & { readonly force?: boolean }
  ) => Effect.Effect<ObjectOf<K>, ClusterError>
  /** Returns the object while it still exists (grace period, finalizers), otherwise a Status. */
  readonly delete: <K extends KindName>(
    kind: K,
    key: ObjectKey,
    options?: DeleteOptions
  ) => Effect.Effect<ObjectOf<K> | Status, ClusterError>
  readonly deleteCollection: <K extends KindName>(
    kind: K,
    options?: Without<ListRequest, never> & { readonly options?: DeleteOptions }
  ) => Effect.Effect<void, ClusterError>
  /** Binds a pod to a node (pods/binding). */
  readonly bind: (key: ObjectKey, nodeName: string) => Effect.Effect<void, ClusterError>
  /** Requests an API-initiated eviction (pods/eviction). */
  readonly evict: (key: ObjectKey, options?: DeleteOptions) => Effect.Effect<void, ClusterError>
}

const withNamespace = (namespace: string | undefined): { readonly namespace?: string } =>
  namespace === undefined || namespace === "" ? {} : { namespace }

const keyOf = (object: KubeObject): { readonly name: string; readonly namespace?: string } => ({
  name: object.metadata.name ?? "",
  ...withNamespace(object.metadata.namespace)
})

/** Returns the Effect form of a connection. Interrupting an effect cancels its request. */
export const fromConnection = (connection: Connection): ClusterShape => {
  const ask = <A>(request: ApiRequest): Effect.Effect<A, ClusterError> =>
    Effect.callback<A, ClusterError>((resume) => {
      const cancel = connection.send(request, (given) => {
        const answer = checkedAnswer(given)
        resume(Result.isSuccess(answer) ? Effect.succeed(answer.success as A) : Effect.fail(answer.failure))
      })
      return Effect.sync(cancel)
    })
  return {
    connection,
    get: (kind, key, options) =>
      ask({ ...options, verb: "get", kind, name: key.name, ...withNamespace(key.namespace) }),
    list: (kind, options) => ask({ ...options, verb: "list", kind }),
    watch: <K extends KindName>(kind: K, options?: Without<WatchRequest, never>) =>
      Stream.callback<WatchEvent<ObjectOf<K>>, ClusterError>((queue) =>
        Effect.acquireRelease(
          Effect.sync(() =>
            connection.watch(
              { ...options, verb: "watch", kind },
              {
                events: (batch) => {
                  Queue.offerAllUnsafe(queue, batch as ReadonlyArray<WatchEvent<ObjectOf<K>>>)
                },
                end: (error) => {
                  if (error === undefined) Queue.endUnsafe(queue)
                  else Queue.failCauseUnsafe(queue, Cause.fail(error))
                }
              }
            )
          ),
          (cancel) => Effect.sync(cancel)
        )
      ),
    create: (kind, object, options) =>
      ask({ ...options, verb: "create", kind, object, ...withNamespace(object.metadata.namespace) }),
    update: (kind, object, options) => ask({ ...options, verb: "update", kind, object, ...keyOf(object) }),
    updateStatus: (kind, object, options) =>
      ask({ ...options, verb: "update", kind, object, ...keyOf(object), subresource: "status" }),
    patch: (kind, key, patchType, body, options) =>
      ask({ ...options, verb: "patch", kind, name: key.name, ...withNamespace(key.namespace), patchType, body }),
    delete: (kind, key, options) =>
      ask({
        verb: "delete",
        kind,
        name: key.name,
        ...withNamespace(key.namespace),
        ...(options === undefined ? {} : { options })
      }),
    deleteCollection: (kind, options) => ask({ ...options, verb: "deletecollection", kind }),
    bind: (key, nodeName) =>
      ask({
        verb: "create",
        kind: "Pod",
        name: key.name,
        ...withNamespace(key.namespace),
        subresource: "binding",
        object: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name: key.name, ...withNamespace(key.namespace) },
          target: { apiVersion: "v1", kind: "Node", name: nodeName }
        }
      }),
    evict: (key, options) =>
      ask({
        verb: "create",
        kind: "Pod",
        name: key.name,
        ...withNamespace(key.namespace),
        subresource: "eviction",
        object: {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: key.name, ...withNamespace(key.namespace) },
          ...(options === undefined ? {} : { deleteOptions: options })
        }
      })
  }
}

export class Cluster extends Context.Service<Cluster, ClusterShape>()("@rollcall/cluster/Cluster") {
  /** A cluster behind a connection, possibly a wrapped one. */
  static readonly layerConnection = (connection: Connection): Layer.Layer<Cluster> =>
    Layer.succeed(Cluster, fromConnection(connection))

  /**
   * The given cluster behind its own client-side rate limit; requests that still wait when the layer closes fail
   * unsent.
   */
  static readonly layerRateLimited = (options: RateLimitOptions): Layer.Layer<Cluster, never, Cluster | Timers> =>
    Layer.effect(
      Cluster,
      Effect.gen(function* () {
        const { connection } = yield* Cluster
        const limited = rateLimited(connection, { ...options, timers: yield* Timers })
        yield* Effect.addFinalizer(() => Effect.sync(limited.close))
        return fromConnection(limited)
      })
    )
}
