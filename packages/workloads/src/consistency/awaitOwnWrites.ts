import type { KindName } from "@rollcall/api"
import { type ClusterShape, fromConnection, type Informer, type WorkQueue } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { consistencyStoreOf, forgetDeleted } from "./ConsistencyStore.ts"
import { recordingWrites } from "./recordingWrites.ts"

export interface OwnWritesParts {
  /** The kind that the controller reconciles, and one that its objects control, if their writes count too. */
  readonly kinds: readonly [reconciled: KindName, controlled?: KindName]
  readonly cluster: ClusterShape
  readonly cache: <K extends KindName>(kind: K) => Informer<K>
  /** Where a key waits again once a cache has changed. */
  readonly queue: Pick<WorkQueue<string>, "add">
}

type Sync<E, R> = (key: string) => Effect.Effect<void, E, R>

export interface OwnWrites {
  /** Records what the controller writes through it. */
  readonly cluster: ClusterShape
  /** Delays the sync of a key until the caches have seen what was written for it. */
  readonly once: <E, R>(sync: Sync<E, R>) => Sync<E, R>
}

/**
 * Makes a controller wait for its caches to see its own writes. Upstream has no such guard for Deployments, budgets and
 * quotas: it writes an old object, and the conflict makes it try again. In one thread that is more frequent: the answer to
 * a write starts the next sync before the event of the write is read.
 */
export const awaitOwnWrites = ({ cache, cluster, kinds: [kind, controlled], queue }: OwnWritesParts): OwnWrites => {
  const followed = controlled === undefined ? [kind] : [kind, controlled]
  const store = consistencyStoreOf(followed, cache, true)
  const waiting = new Set<string>()
  const retry = () => {
    if (waiting.size === 0) return
    for (const key of waiting) queue.add(key)
    waiting.clear()
  }
  for (const name of followed) {
    cache(name).addHandler({ onAdd: retry, onUpdate: retry, onDelete: retry })
  }
  cache(kind).addHandler(forgetDeleted(store))
  return {
    cluster: fromConnection(recordingWrites(cluster.connection, kind, store, controlled)),
    once: (sync) => (key) =>
      Effect.suspend(() => {
        if (store.staleCacheOf(key) === undefined) return sync(key)
        waiting.add(key)
        return Effect.void
      })
  }
}
