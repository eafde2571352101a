import type { KubeObject } from "@rollcall/api"
import type { HeartbeatColumns, HeartbeatServer, HeartbeatStay } from "@rollcall/cluster"
import type { Place, QuietSource, QuietWrites, StoreShape } from "@rollcall/store"
import type { Cached, LateObjects } from "../watch/KindCache.ts"
import type { Occurrence } from "../watch/Occurrence.ts"
import type { KindState } from "./KindState.ts"
import type { Objects } from "./Objects.ts"

/**
 * The server's side of HeartbeatColumns: takes the revisions of heartbeats, tells the store and the watches' log of them,
 * and makes the object when a request or a watch reads it.
 */
export abstract class QuietKind implements HeartbeatServer, QuietSource, LateObjects {
  abstract readonly columns: HeartbeatColumns
  protected readonly state: KindState
  protected readonly objects: Objects
  /** The only namespace with objects in columns. */
  private readonly namespace: string
  private readonly writes: QuietWrites
  private readonly entries: Array<Cached | undefined> = []

  constructor(state: KindState, objects: Objects, quiet: NonNullable<StoreShape["quiet"]>, namespace: string) {
    this.state = state
    this.objects = objects
    this.namespace = namespace
    this.writes = quiet(this)
  }

  /** Returns an object with a heartbeat at that time. */
  protected abstract withHeartbeat(id: number, object: KubeObject, timeMs: number): KubeObject

  /** Connects the columns to the cache and the watches of the kind. */
  protected connect(): void {
    const { cache, channel } = this.state
    cache.late = this
    channel.setColumns(this.columns, this.namespace, (id, revision, timeMs) => this.occurrenceOf(id, revision, timeMs))
  }

  /** Takes over the heartbeats of the object of a cache entry by `enter`, unless somebody needs an object of each. */
  protected enterEntry(
    cached: Cached,
    name: string,
    enter: () => HeartbeatStay | undefined
  ): HeartbeatStay | undefined {
    const { cache, channel } = this.state
    cached.place ??= this.objects.store.place?.(cached.key)
    if (cached.place === undefined || cached.namespace !== this.namespace || cached.name !== name) return undefined
    if (cache.isObserved || !channel.canReadColumns) return undefined
    const stay = enter()
    const id = this.columns.idOf(name)
    if (stay !== undefined && id !== undefined) this.entries[id] = cached
    return stay
  }

  write(id: number, nowMs: number): number {
    const { heartbeatMs, revision: revisions } = this.columns
    const revision = this.writes.write(id, nowMs, heartbeatMs[id] as number, revisions[id] as number)
    this.objects.advance(revision)
    this.objects.wakeWaiters()
    this.state.channel.publishQuiet(id, revision, nowMs)
    return revision
  }

  make(id: number): void {
    const { heartbeatMs, revision: revisions } = this.columns
    const revision = revisions[id] as number
    const cached = this.entries[id] as Cached
    const previous = cached.object
    const object = this.valueOf(id, revision, heartbeatMs[id] as number)
    this.state.cache.putMade(cached, object, revision)
    this.writes.settle(id, object, revision)
    this.columns.ownerOf(id).made(object)
    this.state.channel.sendMade({ revision, event: { type: "MODIFIED", object }, previous, size: cached.size })
  }

  release(id: number, hasHistory: boolean): void {
    if (hasHistory) {
      this.writes.release(id)
      this.state.channel.releaseQuiet(id)
    }
    this.entries[id] = undefined
  }

  valueOf(id: number, revision: number, timeMs: number): KubeObject {
    const { object, revision: present } = this.entries[id] as Cached
    if (present === revision) return object
    const value = this.withHeartbeat(id, object, timeMs)
    return { ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } }
  }

  placeOf(id: number): Place {
    return (this.entries[id] as Cached).place as Place
  }

  settleAll(): void {
    this.columns.makeAll()
  }

  makeLate(namespace: string, name: string): void {
    if (namespace === this.namespace) this.columns.makeOf(name)
  }

  makeAllLate(): void {
    this.columns.makeAll()
  }

  changes(namespace: string, name: string): void {
    const id = namespace === this.namespace ? this.columns.idOf(name) : undefined
    if (id !== undefined) this.columns.leave(id)
  }

  private occurrenceOf(id: number, revision: number, timeMs: number): Occurrence {
    const { object: previous, size } = this.entries[id] as Cached
    const object = this.valueOf(id, revision, timeMs)
    return { revision, event: { type: "MODIFIED", object }, previous, size }
  }
}
