import type { KindName, KubeObject } from "@rollcall/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Cluster } from "./Cluster.ts"
import type { Answer, AnyKind, ApiRequest, Connection } from "./Connection.ts"

/**
 * Called when a write is sent. Returns what is called when it has ended: with the object as it left it, or with undefined
 * if it failed or was cancelled.
 */
export type WriteFollower = (request: ApiRequest) => (written: KubeObject | undefined) => void

/** Calls the follower with each write of objects of a kind. */
export type FollowWrites = (kind: KindName, follower: WriteFollower) => void

const isWrite = ({ verb }: ApiRequest): boolean => verb === "create" || verb === "update" || verb === "patch"

/**
 * Tells controllers what is written, before the events of their caches do: the answer to a write comes on another
 * connection than its event, and often sooner. It keeps nothing.
 */
export class SharedWrites {
  private readonly followers = new Map<AnyKind, Set<WriteFollower>>()

  /** Calls the follower with each write of objects of a kind. Returns a function that ends this. */
  follow(kind: KindName, follower: WriteFollower): () => void {
    const all = this.followers.get(kind) ?? new Set<WriteFollower>()
    this.followers.set(kind, all)
    all.add(follower)
    return () => {
      all.delete(follower)
    }
  }

  /** As `follow`, until the scope ends. */
  readonly within: Effect.Effect<FollowWrites, never, Scope.Scope> = Effect.map(
    Effect.acquireRelease(
      Effect.sync((): Array<() => void> => []),
      (removals) =>
        Effect.sync(() => {
          for (const remove of removals) remove()
        })
    ),
    (removals) => (kind, follower) => void removals.push(this.follow(kind, follower))
  )

  /** Passes requests on, and tells the followers of writes: when they are sent, and what they did before the reply. */
  observed(connection: Connection): Connection {
    return {
      ...connection,
      send: (request, reply) => {
        const followers = isWrite(request) ? this.followers.get(request.kind) : undefined
        if (followers === undefined || followers.size === 0) return connection.send(request, reply)
        let ends: ReadonlyArray<ReturnType<WriteFollower>> = Array.from(followers, (follower) => follower(request))
        const end = (written: KubeObject | undefined) => {
          const ended = ends
          ends = []
          for (const each of ended) each(written)
        }
        const ending = (answer: Answer) => {
          try {
            end(writtenBy(answer))
          } finally {
            // The answer may be anything: the caller gets it in any case.
            reply(answer)
          }
        }
        try {
          const cancel = connection.send(request, ending)
          return () => {
            cancel()
            end(undefined)
          }
        } catch (error) {
          end(undefined)
          throw error
        }
      }
    }
  }
}

/** The object of an answer; the answers of some subresources are none. */
const writtenBy = (answer: Answer): KubeObject | undefined => {
  const object = Result.isSuccess(answer) ? (answer.success as Partial<KubeObject> | undefined) : undefined
  return object?.metadata?.resourceVersion === undefined ? undefined : (object as KubeObject)
}

/**
 * The writes that the controllers of a manager share: their clients pass requests through `observedByShared` where these
 * leave the process. By default each controller is told of its own.
 */
export const CurrentSharedWrites = Context.Reference<SharedWrites | undefined>(
  "@rollcall/cluster/CurrentSharedWrites",
  {
    defaultValue: () => undefined
  }
)

/** The connection of a controller, and what tells it of writes: the shared ones, or its own. */
export const followedWrites = Effect.gen(function* () {
  const { connection } = yield* Cluster
  const shared = yield* CurrentSharedWrites
  if (shared !== undefined) return { connection, writes: shared }
  const writes = new SharedWrites()
  return { connection: writes.observed(connection), writes }
})

/** Returns a wrapper of connections that tells the shared writes, if there are any. */
export const observedByShared: Effect.Effect<(connection: Connection) => Connection> = Effect.map(
  CurrentSharedWrites,
  (writes) => (connection) => (writes === undefined ? connection : writes.observed(connection))
)

/** Tells the controllers over this layer, those of one manager, of each other's writes. */
export const layerSharedWrites: Layer.Layer<never> = Layer.sync(CurrentSharedWrites, () => new SharedWrites())
