import type { KubeObject } from "@rollcall/api"
import { type Place, SortedKeys } from "@rollcall/store"
import type { HandleError } from "@rollcall/time"
import { forgetJson } from "./objectJson.ts"

/** The cache entry of a key. It lives as long as the object, so that an update needs no second look-up. */
export interface Cached {
  object: KubeObject
  /** The store's modRevision of the object. */
  revision: number
  /** The size of the object in the store, in characters; 0 if the store does not report it. */
  size: number
  /** The store's own reference to the object, which spares it a look-up by key; undefined if it gives none. */
  place: Place | undefined
  /** The cache that contains this entry; undefined once it is removed. */
  cache: KindCache | undefined
  readonly name: string
  readonly namespace: string
  /** The store's key. */
  readonly key: string
}

/** A field by which a kind's objects can be found without scanning. */
export interface FieldIndex {
  readonly field: string
  readonly valueOf: (object: KubeObject) => string
}

/**
 * Called for every change with the new and the previous state. `object` is undefined if it was removed, `previous` if it
 * is new.
 */
export type ObjectObserver = (object: KubeObject | undefined, previous: KubeObject | undefined) => void

/** Returns the kind, namespace and name for the log. */
const textOf = (object: KubeObject | undefined): string => {
  const { name = "", namespace = "" } = object?.metadata ?? {}
  return `${object?.kind} ${namespace}/${name}`
}

/** Objects whose newest state is kept elsewhere, and made when it is read. */
export interface LateObjects {
  /** Puts the newest state of one object into the cache. */
  readonly makeLate: (namespace: string, name: string) => void
  /** Puts the newest state of all objects into the cache. */
  readonly makeAllLate: () => void
  /** Called before an object is written or removed: its newest state is in the cache from now on. */
  readonly changes: (namespace: string, name: string) => void
}

/** The objects of one namespace, by name, and their names in order. */
interface Bucket {
  readonly items: Map<string, Cached>
  readonly names: SortedKeys
  /** The entries in order, from a visit until one is added or removed: a visit without it looks up each name. */
  ordered: Array<Cached> | undefined
}

const NO_ENTRIES: ReadonlyArray<Cached> = []

/**
 * All objects of one kind, by namespace and name, in key order. Two maps instead of one keyed by path: callers already
 * hold name and namespace as hashed strings, while a path would be built and hashed for every request.
 */
export class KindCache {
  private readonly prefix: string
  readonly namespaced: boolean
  private readonly index: FieldIndex | undefined
  private readonly buckets = new Map<string, Bucket>()
  /** Namespaces with a trailing slash, because they sort so within a key: `a-b/` before `a/`. */
  private readonly namespaces = new SortedKeys()
  private readonly byIndexedValue = new Map<string, Set<Cached>>()
  readonly handleError: HandleError
  private observer: ObjectObserver | undefined
  /** Of a kind whose objects may be made late. */
  late: LateObjects | undefined
  private count = 0

  constructor(prefix: string, namespaced: boolean, index: FieldIndex | undefined, handleError: HandleError) {
    this.prefix = prefix
    this.namespaced = namespaced
    this.index = index
    this.handleError = handleError
  }

  /**
   * Registers an observer of every change. It is called synchronously, before watchers are notified. An error that it
   * throws is handed to `handleError`; the change, and all other observers, continue.
   */
  observe(observer: ObjectObserver): void {
    const { handleError, observer: before } = this
    this.observer = (object, previous) => {
      before?.(object, previous)
      try {
        observer(object, previous)
      } catch (error) {
        handleError("cache observer", error, { key: textOf(object ?? previous) })
      }
    }
  }

  get isObserved(): boolean {
    return this.observer !== undefined
  }

  get size(): number {
    return this.count
  }

  /** The number of objects of a namespace, or of all if the namespace is undefined. */
  sizeOf(namespace: string | undefined): number {
    return namespace === undefined ? this.count : (this.buckets.get(namespace)?.items.size ?? 0)
  }

  keyOf(namespace: string, name: string): string {
    return this.namespaced ? `${this.prefix}${namespace}/${name}` : this.prefix + name
  }

  get(namespace: string, name: string): Cached | undefined {
    if (this.late !== undefined) this.late.makeLate(namespace, name)
    return this.buckets.get(namespace)?.items.get(name)
  }

  /** Does the same as `get`, without a look-up if `last` is the entry of that object. */
  getAgain(last: Cached | undefined, namespace: string, name: string): Cached | undefined {
    if (last === undefined || last.name !== name || last.cache !== this || last.namespace !== namespace)
      return this.get(namespace, name)
    if (this.late !== undefined) this.late.makeLate(namespace, name)
    return last
  }

  /** Adds an object; `key` is the store's, which most callers have made already. */
  add(
    namespace: string,
    name: string,
    object: KubeObject,
    revision: number,
    key = this.keyOf(namespace, name)
  ): Cached {
    let bucket = this.buckets.get(namespace)
    if (bucket === undefined) {
      bucket = { items: new Map(), names: new SortedKeys(), ordered: undefined }
      this.buckets.set(namespace, bucket)
      this.namespaces.add(`${namespace}/`)
    }
    const cached: Cached = { object, revision, size: 0, place: undefined, cache: this, name, namespace, key }
    bucket.items.set(name, cached)
    bucket.names.add(name)
    bucket.ordered = undefined
    this.count++
    if (this.index !== undefined) this.addToIndex(this.index.valueOf(object), cached)
    this.observer?.(object, undefined)
    return cached
  }

  update(cached: Cached, object: KubeObject, revision: number): void {
    const previous = cached.object
    cached.object = object
    cached.revision = revision
    forgetJson(previous)
    if (this.index !== undefined) this.moveInIndex(cached, this.index.valueOf(previous), this.index.valueOf(object))
    this.observer?.(object, previous)
  }

  /** Replaces the object of an entry by one that was made late, of the same revision as `revision`. */
  putMade(cached: Cached, object: KubeObject, revision: number): void {
    forgetJson(cached.object)
    cached.object = object
    cached.revision = revision
  }

  private moveInIndex(cached: Cached, before: string, after: string): void {
    if (before === after) return
    this.removeFromIndex(before, cached)
    this.addToIndex(after, cached)
  }

  remove(cached: Cached): void {
    const bucket = this.buckets.get(cached.namespace)
    if (bucket === undefined || bucket.items.get(cached.name) !== cached) return
    bucket.items.delete(cached.name)
    bucket.names.delete(cached.name)
    bucket.ordered = undefined
    cached.cache = undefined
    this.count--
    forgetJson(cached.object)
    if (bucket.items.size === 0) {
      this.buckets.delete(cached.namespace)
      this.namespaces.delete(`${cached.namespace}/`)
    }
    if (this.index !== undefined) this.removeFromIndex(this.index.valueOf(cached.object), cached)
    this.observer?.(undefined, cached.object)
  }

  /** The sum of the sizes of the objects, as far as the store knows them. */
  bytes(): number {
    let bytes = 0
    for (const { items } of this.buckets.values()) for (const { size } of items.values()) bytes += size
    return bytes
  }

  clear(): void {
    for (const bucket of [...this.buckets.values()])
      for (const cached of [...bucket.items.values()]) this.remove(cached)
  }

  /** Visits the objects of a namespace in key order, or all objects if the namespace is undefined. */
  visit(namespace: string | undefined, visitor: (object: KubeObject) => void): void {
    this.late?.makeAllLate()
    if (namespace !== undefined) this.visitBucket(namespace, visitor)
    else {
      this.namespaces.visit("", undefined, (slashed) => {
        this.visitBucket(slashed.slice(0, -1), visitor)
        return true
      })
    }
  }

  /** Returns all entries whose indexed field has the value, in key order. */
  withIndexedValue(value: string): ReadonlyArray<Cached> {
    this.late?.makeAllLate()
    const entries = this.byIndexedValue.get(value)
    return entries === undefined ? NO_ENTRIES : [...entries].sort((left, right) => (left.key < right.key ? -1 : 1))
  }

  private visitBucket(namespace: string, visitor: (object: KubeObject) => void): void {
    const bucket = this.buckets.get(namespace)
    if (bucket === undefined) return
    const entries = bucket.ordered ?? this.putInOrder(bucket)
    for (let at = 0; at < entries.length; at++) visitor((entries[at] as Cached).object)
  }

  private putInOrder(bucket: Bucket): Array<Cached> {
    const entries: Array<Cached> = []
    bucket.names.visit("", undefined, (name) => entries.push(bucket.items.get(name) as Cached) > 0)
    bucket.ordered = entries
    return entries
  }

  private addToIndex(value: string, cached: Cached): void {
    const set = this.byIndexedValue.get(value)
    if (set === undefined) this.byIndexedValue.set(value, new Set([cached]))
    else set.add(cached)
  }

  private removeFromIndex(value: string, cached: Cached): void {
    const set = this.byIndexedValue.get(value)
    if (set === undefined) return
    set.delete(cached)
    if (set.size === 0) this.byIndexedValue.delete(value)
  }
}
