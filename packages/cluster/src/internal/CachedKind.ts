import type { KubeObject } from "@rollcall/api"
import type { WatchEvent } from "../Connection.ts"
import type { HeartbeatColumns } from "../heartbeats/HeartbeatColumns.ts"
import type { InformerHandler } from "../InformerHandler.ts"
import { type Indexer, ObjectCache } from "../ObjectCache.ts"
import type { Feed } from "../Reflector.ts"

/** Called with an error that a handler or an index threw, and the object in question. */
type ReportError<A> = (source: "informer handler" | "informer index", error: unknown, object: A) => void

/** Returns an indexer that returns undefined for an object for which the given one throws, and reports the error once. */
const safeIndex = <A extends KubeObject>(indexer: Indexer<A>, reportError: ReportError<A>): Indexer<A> => {
  const reported = new WeakSet<A>()
  return (object) => {
    try {
      return indexer(object)
    } catch (error) {
      if (!reported.has(object)) reportError("informer index", error, object)
      reported.add(object)
      return undefined
    }
  }
}

/** Whether a handler can do without updates that bring only a heartbeat. */
const doesNotHear = ({ onHeartbeats, onUpdate }: InformerHandler<never>): boolean =>
  onHeartbeats !== undefined || onUpdate === undefined

/** The cached objects of a kind, and their handlers. Fed by a reflector. */
export class CachedKind<A extends KubeObject> implements Feed {
  private readonly objects = new ObjectCache<A>()
  private readonly syncWaiters: Array<() => void> = []
  private readonly reportError: ReportError<A>
  private handlers: ReadonlyArray<InformerHandler<A>>
  private isSynced = false
  /** The columns that have the newest heartbeats, for Leases and Nodes. */
  private columns: HeartbeatColumns | undefined

  constructor(handlers: ReadonlyArray<InformerHandler<A>>, reportError: ReportError<A>) {
    this.handlers = handlers
    this.reportError = reportError
  }

  /** The objects for a reader, for whom those in columns are made. */
  get cache(): ObjectCache<A> {
    this.columns?.makeAll()
    return this.objects
  }

  /** Returns one object, which is made if it is in columns. */
  find(name: string, namespace: string): A | undefined {
    this.columns?.makeOf(name)
    return this.objects.get(name, namespace)
  }

  get size(): number {
    return this.objects.size
  }

  /** Whether all handlers can read heartbeats from columns. */
  readonly acceptsHeartbeats = (): boolean => this.handlers.every(doesNotHear)

  readonly heartbeatsChanged = (columns: HeartbeatColumns | undefined): void => {
    this.columns = columns
    for (const { onHeartbeats } of this.handlers) onHeartbeats?.(columns)
  }

  /** True once the first list is cached and its handlers have run. */
  get synced(): boolean {
    return this.isSynced
  }

  /** Calls `resume` once `synced` is true. */
  whenSynced(resume: () => void): void {
    if (this.isSynced) resume()
    else this.syncWaiters.push(resume)
  }

  addIndex(key: unknown, indexer: Indexer<A>): void {
    this.objects.addIndex(key, safeIndex(indexer, this.reportError))
  }

  /** Adds a handler and calls its `onAdd` for everything cached now; returns a function that removes it. */
  addHandler(handler: InformerHandler<A>): () => void {
    if (!doesNotHear(handler)) this.columns?.block()
    this.handlers = [...this.handlers, handler]
    for (const object of this.cache.list()) this.callOnAdd(handler, object, true)
    handler.onHeartbeats?.(this.columns)
    return () => {
      handler.onHeartbeats?.(undefined)
      this.handlers = this.handlers.filter((other) => other !== handler)
    }
  }

  /** Removes all handlers. */
  removeHandlers(): void {
    for (const { onHeartbeats } of this.handlers) onHeartbeats?.(undefined)
    this.handlers = []
  }

  readonly apply = (event: WatchEvent): void => {
    if (event.type === "DELETED") this.remove(event.object as A)
    else if (event.type !== "ERROR") this.upsert(event.object as A, false)
  }

  readonly replace = (objects: ReadonlyArray<KubeObject>): void => {
    const listed = new Set<string>()
    const before = this.objects.list()
    for (const object of objects) {
      if (before.length > 0) listed.add(identity(object))
      this.upsert(object as A, true)
    }
    for (const object of before) if (!listed.has(identity(object))) this.remove(object)
    if (this.isSynced) return
    this.isSynced = true
    for (const resume of this.syncWaiters.splice(0)) resume()
  }

  private upsert(object: A, isListed: boolean): void {
    const old = isListed ? this.objects.setListed(object) : this.objects.set(object)
    const { handlers } = this
    if (old === undefined) {
      for (const handler of handlers) this.callOnAdd(handler, object, !this.isSynced)
    } else if (!isListed || !isSame(old, object)) {
      for (const handler of handlers) {
        try {
          handler.onUpdate?.(old, object)
        } catch (error) {
          this.reportError("informer handler", error, object)
        }
      }
    }
  }

  private callOnAdd(handler: InformerHandler<A>, object: A, isInInitialList: boolean): void {
    try {
      handler.onAdd?.(object, isInInitialList)
    } catch (error) {
      this.reportError("informer handler", error, object)
    }
  }

  private remove(last: A): void {
    const { name = "", namespace = "" } = last.metadata
    if (this.objects.delete(name, namespace) === undefined) return
    for (const handler of this.handlers) {
      try {
        handler.onDelete?.(last)
      } catch (error) {
        this.reportError("informer handler", error, last)
      }
    }
  }
}

/** Whether a relist repeats the cached object. */
const isSame = (old: KubeObject, object: KubeObject): boolean =>
  old === object ||
  (object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion === old.metadata.resourceVersion)

const identity = ({ metadata: { name = "", namespace = "" } }: KubeObject): string => `${namespace}/${name}`
