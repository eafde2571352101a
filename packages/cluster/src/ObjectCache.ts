import type { KubeObject } from "@rollcall/api"

/** Returns the value of an index for an object; undefined if the object is not in the index. */
export type Indexer<A> = (object: A) => string | undefined

/** Returns `namespace/name`, or the name of a cluster-scoped object: the key of caches and work queues. */
export const keyOf = (object: KubeObject): string => {
  const { name = "", namespace } = object.metadata
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`
}

/** Splits a key into namespace and name. */
export const splitKey = (key: string): { readonly namespace: string; readonly name: string } => {
  const slash = key.indexOf("/")
  return slash < 0 ? { namespace: "", name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** Whether an API server lists the first object before the second: by namespace, then by name. */
const isBefore = ({ metadata: first }: KubeObject, { metadata: second }: KubeObject): boolean => {
  const { name = "", namespace = "" } = second
  if (first.namespace === second.namespace) return (first.name ?? "") < name
  // `a-b/` comes before `a/`.
  return `${first.namespace ?? ""}/` < `${namespace}/`
}

interface Entry<A> {
  object: A
}

interface Index<A> {
  readonly indexer: Indexer<A>
  readonly values: Map<string, Set<Entry<A>>>
}

/**
 * Objects by namespace and name, with indexes. Objects are shared, never copied. Two levels of maps save building a
 * `namespace/name` string for each of a million heartbeats. The objects of a first list are put into the maps at the first
 * lookup: pods that only run are never looked up.
 */
export class ObjectCache<A extends KubeObject> {
  private readonly namesByNamespace = new Map<string, Map<string, Entry<A>>>()
  private readonly indexes = new Map<unknown, Index<A>>()
  private readonly indexList: Array<Index<A>> = []
  private count = 0
  /** Distinct objects that are not in the maps yet, in key order; while there are some, the maps are empty. */
  private unmapped: Array<A> | undefined
  private lastNamespace = ""
  private lastNames: Map<string, Entry<A>> | undefined

  /** Adds an index of all objects. `byIndex` finds it by `key`. */
  addIndex(key: unknown, indexer: Indexer<A>): void {
    this.mapAll()
    const index = { indexer, values: new Map<string, Set<Entry<A>>>() }
    this.indexes.set(key, index)
    this.indexList.push(index)
    for (const names of this.namesByNamespace.values()) {
      for (const entry of names.values()) this.link(index, indexer(entry.object), entry)
    }
  }

  removeIndex(key: unknown): void {
    const index = this.indexes.get(key)
    if (index === undefined) return
    this.indexes.delete(key)
    this.indexList.splice(this.indexList.indexOf(index), 1)
  }

  get size(): number {
    return this.unmapped?.length ?? this.count
  }

  get(name: string, namespace: string): A | undefined {
    this.mapAll()
    return this.namesOf(namespace)?.get(name)?.object
  }

  list(): Array<A> {
    if (this.unmapped !== undefined) return [...this.unmapped]
    const objects: Array<A> = []
    for (const names of this.namesByNamespace.values()) for (const entry of names.values()) objects.push(entry.object)
    return objects
  }

  byIndex(key: unknown, value: string): Array<A> {
    this.mapAll()
    const index = this.indexes.get(key)
    if (index === undefined) throw new Error(`no index has the key ${key}`)
    const entries = index.values.get(value)
    const objects: Array<A> = []
    if (entries !== undefined) for (const entry of entries) objects.push(entry.object)
    return objects
  }

  /** Does the same as `set`, and leaves the objects of a first list in key order out of the maps. */
  setListed(object: A): A | undefined {
    const { unmapped } = this
    if (unmapped === undefined) {
      if (this.count > 0) return this.set(object)
      this.unmapped = [object]
      return undefined
    }
    if (!isBefore(unmapped[unmapped.length - 1] as A, object)) return this.set(object)
    unmapped.push(object)
    return undefined
  }

  private mapAll(): void {
    const { unmapped } = this
    if (unmapped === undefined) return
    this.unmapped = undefined
    for (const object of unmapped) {
      const { name = "", namespace = "" } = object.metadata
      this.add(this.namesOf(namespace) ?? this.addNamespace(namespace), name, { object })
    }
  }

  private addNamespace(namespace: string): Map<string, Entry<A>> {
    const names = new Map<string, Entry<A>>()
    this.namesByNamespace.set(namespace, names)
    this.lastNames = names
    return names
  }

  /** Puts an object and returns the one it replaces. */
  set(object: A): A | undefined {
    if (this.unmapped !== undefined) this.mapAll()
    const { name = "", namespace = "" } = object.metadata
    const names = this.namesOf(namespace) ?? this.addNamespace(namespace)
    const entry = names.get(name)
    if (entry === undefined) {
      this.add(names, name, { object })
      return undefined
    }
    const old = entry.object
    entry.object = object
    for (const index of this.indexList) {
      const before = index.indexer(old)
      const after = index.indexer(object)
      if (before === after) continue
      this.unlink(index, before, entry)
      this.link(index, after, entry)
    }
    return old
  }

  /** Removes an object and returns it. */
  delete(name: string, namespace: string): A | undefined {
    this.mapAll()
    const names = this.namesOf(namespace)
    const entry = names?.get(name)
    if (names === undefined || entry === undefined) return undefined
    names.delete(name)
    if (names.size === 0) {
      this.namesByNamespace.delete(namespace)
      this.lastNames = undefined
    }
    this.count--
    for (const index of this.indexList) this.unlink(index, index.indexer(entry.object), entry)
    return entry.object
  }

  private namesOf(namespace: string): Map<string, Entry<A>> | undefined {
    if (this.lastNames === undefined || namespace !== this.lastNamespace) {
      this.lastNames = this.namesByNamespace.get(namespace)
      this.lastNamespace = namespace
    }
    return this.lastNames
  }

  private add(names: Map<string, Entry<A>>, name: string, entry: Entry<A>): void {
    names.set(name, entry)
    this.count++
    for (const index of this.indexList) this.link(index, index.indexer(entry.object), entry)
  }

  private link(index: Index<A>, value: string | undefined, entry: Entry<A>): void {
    if (value === undefined) return
    const entries = index.values.get(value)
    if (entries === undefined) index.values.set(value, new Set([entry]))
    else entries.add(entry)
  }

  private unlink(index: Index<A>, value: string | undefined, entry: Entry<A>): void {
    if (value === undefined) return
    const entries = index.values.get(value)
    if (entries === undefined) return
    entries.delete(entry)
    if (entries.size === 0) index.values.delete(value)
  }
}
