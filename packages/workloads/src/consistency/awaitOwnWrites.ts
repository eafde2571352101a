import { groupResourceOf, type KindName, type KubeObject, keyOf, resourceOf, type StatusDetails } from "@rollcall/api"
import {
  type ApiRequest,
  type ClusterShape,
  type Connection,
  fromConnection,
  type Informer,
  type InformerHandler,
  isConflict,
  type WorkQueue
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ConsistencyStore, consistencyStoreOf } from "./ConsistencyStore.ts"
import { reconciledBy, recordingWrites } from "./recordingWrites.ts"
import { WaitingKeys } from "./WaitingKeys.ts"

export interface OwnWritesParts {
  /** The kind whose objects have the keys, and one that its objects control, if their writes count too. */
  readonly kinds: readonly [written: KindName, controlled?: KindName]
  readonly connection: Connection
  readonly cache: <K extends KindName>(kind: K) => Informer<K>
  /** Where a key waits again once a cache has changed. */
  readonly queue: Pick<WorkQueue<string>, "add">
}

/** A version of an object that the API refused to update, because the object has a newer one. */
interface Refused {
  readonly kind: KindName
  readonly object: string
  readonly version: string | undefined
}

/**
 * What a controller wrote and its caches have not seen, and what its caches have that is known to be old. Upstream has
 * no such guard for Deployments, ReplicationControllers, budgets, quotas and new Endpoints: it writes an old object, and
 * the conflict makes it try again. In one thread that is more frequent: the answer to a write starts the next sync
 * before the event of the write is read.
 */
export class OwnWrites {
  private readonly store: ConsistencyStore
  private readonly kinds: ReadonlyArray<KindName>
  private readonly reconciled: KindName
  private readonly cache: OwnWritesParts["cache"]
  private readonly queue: OwnWritesParts["queue"]
  private readonly unseen = new Map<KindName, WaitingKeys>()
  private readonly refused = new Map<string, Refused>()
  /** The keys that wait until the cache has another version than the refused one. */
  private readonly waitingForOthers = new Set<string>()
  /** Records what the controller writes through it. */
  readonly connection: Connection

  constructor({ cache, connection, kinds: [kind, controlled], queue }: OwnWritesParts) {
    this.reconciled = kind
    this.kinds = controlled === undefined ? [kind] : [kind, controlled]
    this.cache = cache
    this.queue = queue
    this.store = consistencyStoreOf(this.kinds, cache, true)
    this.connection = this.recordingConflicts(recordingWrites(connection, kind, this.store, controlled))
  }

  /** Passes each request on, and remembers the version that a conflict refuses. */
  private recordingConflicts({ send, watch }: Connection): Connection {
    return {
      watch,
      send: (request, reply) =>
        send(request, (answer) => {
          if (Result.isFailure(answer) && isConflict(answer.failure))
            this.recordConflict(request, answer.failure.status.details)
          reply(answer)
        })
    }
  }

  private recordConflict(request: ApiRequest, details: StatusDetails | undefined): void {
    const kind = this.kinds.find((one) => one === request.kind)
    if (request.verb !== "update" || kind === undefined) return
    const { metadata } = request.object as KubeObject
    // A webhook may refuse with this reason too, and for as long as it likes.
    if (details?.name !== metadata.name || details?.kind !== groupResourceOf(resourceOf(kind)).resource) return
    const key = reconciledBy(this.reconciled, kind, metadata)?.key
    if (key !== undefined)
      this.refused.set(key, { kind, object: keyOf({ metadata }), version: metadata.resourceVersion })
  }

  /** Whether a key must wait; it is queued again when the caches have what it waits for. */
  mustWait(key: string): boolean {
    const write = this.store.unseenWriteOf(key)
    if (write !== undefined) {
      this.waitersOf(write.kind).add(key, write.written)
      return true
    }
    const refused = this.refused.get(key)
    if (refused === undefined) return false
    const cached = this.cache(refused.kind).get(refused.object)
    if (cached !== undefined && cached.metadata.resourceVersion === refused.version) {
      this.waitingForOthers.add(key)
      return true
    }
    this.refused.delete(key)
    return false
  }

  private waitersOf(kind: KindName): WaitingKeys {
    const known = this.unseen.get(kind)
    if (known !== undefined) return known
    const made = new WaitingKeys()
    this.unseen.set(kind, made)
    return made
  }

  /** Must be called first by the handler of each of the kinds: the cache of the kind has changed this object. */
  changed(kind: KindName, { metadata }: KubeObject): void {
    for (const key of this.unseen.get(kind)?.takeUpTo(this.store.readVersionOf(kind)) ?? []) this.queue.add(key)
    const key = reconciledBy(this.reconciled, kind, metadata)?.key
    if (key !== undefined && this.waitingForOthers.delete(key)) this.queue.add(key)
  }

  /** As `changed`, for an object that the cache has no more. */
  deleted(kind: KindName, object: KubeObject): void {
    const { metadata } = object
    if (kind === this.reconciled) {
      const key = keyOf({ metadata })
      this.store.clear(key, metadata.uid ?? "")
      this.refused.delete(key)
    }
    this.changed(kind, object)
  }

  /** The handler of one of the kinds. */
  handlerOf(kind: KindName): InformerHandler<KubeObject> {
    return {
      onAdd: (object) => this.changed(kind, object),
      onUpdate: (_, object) => this.changed(kind, object),
      onDelete: (object) => this.deleted(kind, object)
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
  for (const kind of parts.kinds) if (kind !== undefined) parts.cache(kind).addHandler(own.handlerOf(kind))
  return {
    cluster: fromConnection(own.connection),
    once:
      <E, R>(sync: Sync<E, R>): Sync<E, R> =>
      (key) =>
        Effect.suspend(() => (own.mustWait(key) ? Effect.void : sync(key)))
  }
}
