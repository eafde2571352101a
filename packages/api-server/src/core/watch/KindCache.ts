import type { KubeObject } from "@rollcall/api"
import { type Place, SortedKeys } from "@rollcall/store"
import type { HandleError } from "@rollcall/time"

/** What the cache holds under one key. The slot stays while the object lives, so that an update need not look it up twice. */
export interface Cached {
  object: KubeObject
  /** The store's modRevision of the object. */
  revision: number
  /** As `Occurrence.size`. */
  size: number
  /** Where the store keeps it, if it says so. */
  place: Place | undefined
  /** The cache that it is in; undefined once it is removed. */
  home: KindCache | undefined
  readonly name: string
  readonly namespace: string
  /** The store's key. */
  readonly key: string
}

/** A field by which objects of a kind can be found without looking at all of them. */
export interface FieldIndex {
  readonly field: string
  readonly valueOf: (object: KubeObject) => string
}

/** Told of every change: undefined before an object is there, or once it is gone. */
export type ObjectObserver = (object: KubeObject | undefined, previous: KubeObject | undefined) => void

const keyIn = (object: KubeObject | undefined): string => {
  const { name = "", namespace = "" } = object?.metadata ?? {}
  return `${object?.kind} ${namespace}/${name}`
}

interface Bucket {
  readonly items: Map<string, Cached>
  readonly names: SortedKeys
}

const NOTHING: ReadonlyArray<Cached> = []

/**
 * All objects of one kind, by namespace and name, in the order of their keys. Two maps instead of one keyed by path: names and
 * namespaces are strings that callers already hold, hashed once, while a path would be built and hashed for every request.
 */
export class KindCache {
  private readonly prefix: string
  readonly namespaced: boolean
  private readonly index: FieldIndex | undefined
  private readonly buckets = new Map<string, Bucket>()
  /** Namespaces with a slash behind them: that is how they sort within a key. */
  private readonly namespaces = new SortedKeys()
  private readonly indexed = new Map<string, Set<Cached>>()
  readonly handleError: HandleError
  private observer: ObjectObserver | undefined
  private count = 0

  constructor(prefix: string, namespaced: boolean, index: FieldIndex | undefined, handleError: HandleError) {
    this.prefix = prefix
    this.namespaced = namespaced
    this.index = index
    this.handleError = handleError
  }

  /**
   * Tells of every change from now on, within the call that makes it: before watches hear of it. An observer that throws is
   * handed to `handleError`; the change, and all other observers, go on.
   */
  observe(observer: ObjectObserver): void {
    const { handleError, observer: before } = this
    this.observer = (object, previous) => {
      before?.(object, previous)
      try {
        observer(object, previous)
      } catch (error) {
        handleError("cache observer", error, { key: keyIn(object ?? previous) })
      }
    }
  }

  get size(): number {
    return this.count
  }

  keyOf(namespace: string, name: string): string {
    return this.namespaced ? `${this.prefix}${namespace}/${name}` : this.prefix + name
  }

  get(namespace: string, name: string): Cached | undefined {
    return this.buckets.get(namespace)?.items.get(name)
  }

  /** As `get`, without a search where what was found last time is asked for again. */
  getAgain(last: Cached | undefined, namespace: string, name: string): Cached | undefined {
    return last !== undefined && last.name === name && last.home === this && last.namespace === namespace
      ? last
      : this.get(namespace, name)
  }

  add(namespace: string, name: string, object: KubeObject, revision: number): Cached {
    let bucket = this.buckets.get(namespace)
    if (bucket === undefined) {
      bucket = { items: new Map(), names: new SortedKeys() }
      this.buckets.set(namespace, bucket)
      this.namespaces.add(`${namespace}/`)
    }
    const key = this.keyOf(namespace, name)
    const cached: Cached = { object, revision, size: 0, place: undefined, home: this, name, namespace, key }
    bucket.items.set(name, cached)
    bucket.names.add(name)
    this.count++
    if (this.index !== undefined) this.enter(this.index.valueOf(object), cached)
    this.observer?.(object, undefined)
    return cached
  }

  update(cached: Cached, object: KubeObject, revision: number): void {
    const previous = cached.object
    cached.object = object
    cached.revision = revision
    forgetJson(previous)
    if (this.index !== undefined) this.move(cached, this.index.valueOf(previous), this.index.valueOf(object))
    this.observer?.(object, previous)
  }

  private move(cached: Cached, before: string, after: string): void {
    if (before === after) return
    this.leave(before, cached)
    this.enter(after, cached)
  }

  remove(cached: Cached): void {
    const bucket = this.buckets.get(cached.namespace)
    if (bucket === undefined || bucket.items.get(cached.name) !== cached) return
    bucket.items.delete(cached.name)
    bucket.names.delete(cached.name)
    cached.home = undefined
    this.count--
    forgetJson(cached.object)
    if (bucket.items.size === 0) {
      this.buckets.delete(cached.namespace)
      this.namespaces.delete(`${cached.namespace}/`)
    }
    if (this.index !== undefined) this.leave(this.index.valueOf(cached.object), cached)
    this.observer?.(undefined, cached.object)
  }

  clear(): void {
    for (const bucket of [...this.buckets.values()])
      for (const cached of [...bucket.items.values()]) this.remove(cached)
  }

  /** Visits objects in key order, of one namespace or (undefined) of all. */
  visit(namespace: string | undefined, visitor: (object: KubeObject) => void): void {
    if (namespace !== undefined) this.visitBucket(namespace, visitor)
    else {
      this.namespaces.visit("", undefined, (slashed) => {
        this.visitBucket(slashed.slice(0, -1), visitor)
        return true
      })
    }
  }

  /** All whose indexed field has the value, in key order. */
  withIndexed(value: string): ReadonlyArray<Cached> {
    const found = this.indexed.get(value)
    return found === undefined ? NOTHING : [...found].sort((left, right) => (left.key < right.key ? -1 : 1))
  }

  private visitBucket(namespace: string, visitor: (object: KubeObject) => void): void {
    const bucket = this.buckets.get(namespace)
    if (bucket === undefined) return
    bucket.names.visit("", undefined, (name) => {
      visitor((bucket.items.get(name) as Cached).object)
      return true
    })
  }

  private enter(value: string, cached: Cached): void {
    const set = this.indexed.get(value)
    if (set === undefined) this.indexed.set(value, new Set([cached]))
    else set.add(cached)
  }

  private leave(value: string, cached: Cached): void {
    const set = this.indexed.get(value)
    if (set === undefined) return
    set.delete(cached)
    if (set.size === 0) this.indexed.delete(value)
  }
}

/** The JSON of objects that were listed: immutable as they are, each is written once for all lists that it appears in. */
const written = new WeakMap<KubeObject, string>()

/** The JSON of an object that will be asked for again. */
export const listedJson = (object: KubeObject): string => {
  const known = written.get(object)
  if (known !== undefined) return known
  const json = JSON.stringify(object)
  written.set(object, json)
  return json
}

/** The JSON of an object, taken from a list if it was in one. */
export const objectJson = (object: KubeObject): string => written.get(object) ?? JSON.stringify(object)

/** The object is no longer the one that is listed: its JSON need not live as long as the history that it is in. */
const forgetJson = (object: KubeObject): void => void written.delete(object)
