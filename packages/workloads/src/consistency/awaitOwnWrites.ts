import {
  groupResourceOf,
  type KindName,
  type KubeObject,
  keyOf,
  resourceOf,
  type StatusDetails,
  staleResourceVersion
} from "@rollcall/api"
import {
  ApiError,
  type ApiRequest,
  type ClusterShape,
  type Connection,
  type FollowWrites,
  fromConnection,
  type Informer,
  type InformerHandler,
  isConflict,
  type PatchRequest,
  type Work,
  type WorkQueue
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ConsistencyStore, compareVersions, consistencyStoreOf } from "./ConsistencyStore.ts"
import { InFlight } from "./InFlight.ts"
import { reconciledBy } from "./recordingWrites.ts"
import { WaitingKeys } from "./WaitingKeys.ts"

export interface OwnWritesParts {
  /** The kind whose objects have the keys, and one that its objects control, if their writes count too. */
  readonly kinds: readonly [written: KindName, controlled?: KindName]
  readonly connection: Connection
  readonly cache: <K extends KindName>(kind: K) => Informer<K>
  /** Tells of the writes of the kinds: the controller's own, and those of the other controllers of its manager. */
  readonly followWrites: FollowWrites
  /** Where a key waits again once a cache has changed. */
  readonly queue: Pick<WorkQueue<string>, "add">
}

/**
 * How often a key waits for a write, one after another, before it is processed: others may write its objects without a
 * pause. The key's own writes are seen by then.
 */
const MOST_ROUNDS = 8

/** A version of an object that the API refused to update, because the object has a newer one. */
interface Refused {
  readonly kind: KindName
  readonly object: string
  readonly version: string | undefined
}

/** The key of the object that an update or a patch names. */
const objectOf = (request: ApiRequest): string =>
  keyOf({ metadata: request.verb === "update" ? (request.object as KubeObject).metadata : (request as PatchRequest) })

/**
 * What a controller and the others of its manager wrote and its caches have not seen, and what its caches have that is
 * known to be old. Upstream has no such guard for Deployments, CronJobs, ReplicationControllers, budgets, quotas and new
 * Endpoints: it writes an old object, and the conflict makes it try again. In one thread that is more frequent: the
 * answer to a write starts the next sync before the event of the write is read.
 */
export class OwnWrites {
  private readonly store: ConsistencyStore
  private readonly kinds: ReadonlyArray<KindName>
  private readonly reconciled: KindName
  private readonly cache: OwnWritesParts["cache"]
  private readonly queue: OwnWritesParts["queue"]
  private readonly unseen = new Map<KindName, WaitingKeys>()
  private readonly inFlight = new InFlight()
  /** How often a key has waited for a write since it was last processed. */
  private readonly rounds = new Map<string, number>()
  private readonly refused = new Map<string, Refused>()
  /** The versions of cached objects that are written and that the cache does not have yet. */
  private readonly written = new Map<string, string>()
  /** The keys that wait until the cache has another version than the refused one. */
  private readonly waitingForOthers = new Set<string>()
  /** Refuses to update an object that has a newer version, as the API would, and remembers what the API refuses. */
  readonly connection: Connection

  constructor({ cache, connection, followWrites, kinds: [kind, controlled], queue }: OwnWritesParts) {
    this.reconciled = kind
    this.kinds = controlled === undefined ? [kind] : [kind, controlled]
    this.cache = cache
    this.queue = queue
    this.store = consistencyStoreOf(this.kinds, cache, true)
    this.connection = this.recordingConflicts(connection)
    for (const one of this.kinds) followWrites(one, (request) => this.recordRequest(one, request))
  }

  /** Records that a write is sent. Returns what records its end. */
  private recordRequest(kind: KindName, request: ApiRequest): (written: KubeObject | undefined) => void {
    const isNew = request.verb === "create"
    const key = isNew ? undefined : this.keyOfCached(kind, objectOf(request))
    if (key !== undefined) this.inFlight.begin(key)
    return (written) => {
      if (written !== undefined) this.recordWrite(kind, written, isNew)
      if (key !== undefined && this.inFlight.end(key)) this.release(key)
    }
  }

  /** The key that an object of the cache concerns. */
  private keyOfCached(kind: KindName, object: string): string | undefined {
    const cached = this.cache(kind).get(object)
    return cached && reconciledBy(this.reconciled, kind, cached.metadata)?.key
  }

  private recordWrite(kind: KindName, { metadata }: KubeObject, isNew: boolean): void {
    const reconciled = reconciledBy(this.reconciled, kind, metadata)
    if (reconciled === undefined) return
    const object = keyOf({ metadata })
    const cached = this.cache(kind).get(object)
    // The caches forget the writes for what they have; of what is gone they would never tell.
    if (!isNew && cached?.metadata.uid !== metadata.uid) return
    if (kind !== this.reconciled && this.cache(this.reconciled).get(reconciled.key)?.metadata.uid !== reconciled.uid)
      return
    const version = metadata.resourceVersion ?? ""
    this.store.wroteAt(reconciled.key, reconciled.uid, kind, version)
    if ((compareVersions(version, cached?.metadata.resourceVersion ?? "") ?? 0) > 0)
      this.written.set(`${kind} ${object}`, version)
  }

  private recordingConflicts({ send, watch }: Connection): Connection {
    return {
      watch,
      send: (request, given) => {
        const reply: typeof given = (answer) => {
          if (Result.isFailure(answer) && isConflict(answer.failure))
            this.recordConflict(request, answer.failure.status.details)
          given(answer)
        }
        const foreseen = this.foreseenConflict(request)
        if (foreseen === undefined) return send(request, reply)
        reply(Result.fail(foreseen))
        return () => undefined
      }
    }
  }

  /** The conflict of an update of an object that has got a newer version since the sync began. */
  private foreseenConflict(request: ApiRequest): ApiError | undefined {
    const kind = this.kinds.find((one) => one === request.kind)
    if (request.verb !== "update" || kind === undefined) return undefined
    const { metadata } = request.object as KubeObject
    const object = keyOf({ metadata })
    const cached = this.cache(kind).get(object)?.metadata
    if (cached === undefined || cached.uid !== metadata.uid) return undefined
    const newest = this.written.get(`${kind} ${object}`) ?? cached.resourceVersion ?? ""
    return (compareVersions(metadata.resourceVersion ?? "", newest) ?? 0) < 0
      ? new ApiError({ status: staleResourceVersion(groupResourceOf(resourceOf(kind)), metadata.name ?? "") })
      : undefined
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

  /** Whether a key must wait: for the answer to a write, or for the caches. It is queued again when they have that. */
  mustWait(key: string): boolean {
    const hasWaitedLong = (this.rounds.get(key) ?? 0) >= MOST_ROUNDS
    if ((!hasWaitedLong && this.waitsForWrite(key)) || this.waitsForNewer(key)) return true
    this.rounds.delete(key)
    return false
  }

  private waitsForWrite(key: string): boolean {
    const write = this.store.unseenWriteOf(key)
    if (write === undefined) return this.inFlight.mustWait(key)
    this.waitersOf(write.kind).add(key, write.written)
    return true
  }

  /** Whether the cache still has the version that the API refused. */
  private waitsForNewer(key: string): boolean {
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

  /** Delays the work of a key while it must wait. */
  before<E>(work: Work<E>): Work<E> {
    return (key, done, failed) => (this.mustWait(key) ? done() : work(key, done, failed))
  }

  private release(key: string): void {
    this.rounds.set(key, (this.rounds.get(key) ?? 0) + 1)
    this.queue.add(key)
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
    const object = `${kind} ${keyOf({ metadata })}`
    const written = this.written.get(object)
    if (written !== undefined && (compareVersions(written, metadata.resourceVersion ?? "") ?? 0) <= 0)
      this.written.delete(object)
    for (const key of this.unseen.get(kind)?.takeUpTo(this.store.readVersionOf(kind)) ?? []) this.release(key)
    const key = reconciledBy(this.reconciled, kind, metadata)?.key
    if (key !== undefined && this.waitingForOthers.delete(key)) this.queue.add(key)
  }

  /** As `changed`, for an object that the cache has no more. */
  deleted(kind: KindName, object: KubeObject): void {
    const { metadata } = object
    this.written.delete(`${kind} ${keyOf({ metadata })}`)
    if (kind === this.reconciled) {
      const key = keyOf({ metadata })
      this.store.clear(key, metadata.uid ?? "")
      this.refused.delete(key)
      this.rounds.delete(key)
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
