import type { KindName, KubeObject } from "@rollcall/api"
import {
  type ClusterShape,
  type Connection,
  fromConnection,
  type Informer,
  type InformerHandler,
  type WorkQueue
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { type ConsistencyStore, consistencyStoreOf, forgetDeleted } from "./ConsistencyStore.ts"
import { recordingWrites } from "./recordingWrites.ts"

export interface OwnWritesParts {
  /** The kind whose objects have the keys, and one that its objects control, if their writes count too. */
  readonly kinds: readonly [written: KindName, controlled?: KindName]
  readonly connection: Connection
  readonly cache: <K extends KindName>(kind: K) => Informer<K>
  /** Where a key waits again once a cache has changed. */
  readonly queue: Pick<WorkQueue<string>, "add">
}

/**
 * What a controller wrote and its caches have not seen. Upstream has no such guard for Deployments,
 * ReplicationControllers, budgets, quotas and new Endpoints: it writes an old object, and the conflict makes it try
 * again. In one thread that is more frequent: the answer to a write starts the next sync before the event of the write
 * is read.
 */
export class OwnWrites {
  private readonly store: ConsistencyStore
  private readonly waiting = new Set<string>()
  private readonly queue: OwnWritesParts["queue"]
  /** Records what the controller writes through it. */
  readonly connection: Connection

  constructor({ cache, connection, kinds: [kind, controlled], queue }: OwnWritesParts) {
    this.store = consistencyStoreOf(controlled === undefined ? [kind] : [kind, controlled], cache, true)
    this.connection = recordingWrites(connection, kind, this.store, controlled)
    this.queue = queue
  }

  /** Whether a key must wait; it is queued again when the caches change. */
  mustWait(key: string): boolean {
    if (this.store.staleCacheOf(key) === undefined) return false
    this.waiting.add(key)
    return true
  }

  /** Queues the keys that wait: a cache has changed. */
  readonly retry = (): void => {
    for (const key of this.waiting) this.queue.add(key)
    this.waiting.clear()
  }

  /** The handler of the reconciled kind. */
  readonly handler: InformerHandler<KubeObject> = {
    onAdd: () => this.retry(),
    onUpdate: () => this.retry(),
    onDelete: (object) => {
      forgetDeleted(this.store).onDelete(object)
      this.retry()
    }
  }
}

type Sync<E, R> = (key: string) => Effect.Effect<void, E, R>

/** As `OwnWrites`, for a controller of Effects whose caches exist: `once` delays a sync while its key must wait. */
export const awaitOwnWrites = ({
  cluster,
  ...parts
}: Omit<OwnWritesParts, "connection"> & { readonly cluster: ClusterShape }) => {
  const own = new OwnWrites({ ...parts, connection: cluster.connection })
  const [kind, controlled] = parts.kinds
  parts.cache(kind).addHandler(own.handler)
  if (controlled !== undefined) {
    parts.cache(controlled).addHandler({ onAdd: own.retry, onUpdate: own.retry, onDelete: own.retry })
  }
  return {
    cluster: fromConnection(own.connection),
    once:
      <E, R>(sync: Sync<E, R>): Sync<E, R> =>
      (key) =>
        Effect.suspend(() => (own.mustWait(key) ? Effect.void : sync(key)))
  }
}
