import type { KubeObject } from "@rollcall/api"
import { indexInList, isListedBefore } from "./listOrder.ts"

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

interface Index<A> {
  readonly indexer: Indexer<A>
  /** The slots of the objects with a value. */
  readonly values: Map<string, Set<number>>
}

/** From one look-up for so many objects of a first list on, that list is put into the maps. */
const OBJECTS_PER_SEARCH = 24

/**
 * Objects by namespace and name, with indexes. Objects are shared, never copied. Two levels of maps save building a
 * `namespace/name` string for each of a million heartbeats.
 *
 * A first list in key order stays out of the maps: an object of it is found by binary search, until so many were looked up
 * that the maps cost less. Most of the pods that only run are never looked up. Whether the maps have it or not makes no difference
 * to any answer.
 */
export class ObjectCache<A extends KubeObject> {
  /** The objects, and what deleted ones of the first list leave: their keys. */
  private readonly slots: Array<A | undefined> = []
  private readonly freeSlots: Array<number> = []
  /** How many slots from 0 on are those of a first list, in key order and not in the maps. */
  private sorted = 0
  /** Those slots of them whose objects were deleted. */
  private readonly deleted = new Set<number>()
  /** The number of the others by namespace; undefined until one is deleted. */
  private sortedCounts: Map<string, number> | undefined
  private searches = 0
  private slotsByNamespace = new Map<string, Map<string, number>>()
  private readonly indexes = new Map<unknown, Index<A>>()
  private readonly indexList: Array<Index<A>> = []
  /** Whether the indexes have all objects; a first list enters them with the first change or read. */
  private isIndexed = false
  private count = 0
  private lastNamespace = ""
  private lastNames: Map<string, number> | undefined

  /** Adds an index of all objects. `byIndex` finds it by `key`. */
  addIndex(key: unknown, indexer: Indexer<A>): void {
    const index = { indexer, values: new Map<string, Set<number>>() }
    this.indexes.set(key, index)
    this.indexList.push(index)
    if (this.isIndexed) this.visitSlots((slot, object) => this.link(index, indexer(object), slot))
  }

  removeIndex(key: unknown): void {
    const index = this.indexes.get(key)
    if (index === undefined) return
    this.indexes.delete(key)
    this.indexList.splice(this.indexList.indexOf(index), 1)
  }

  get size(): number {
    return this.count
  }

  get(name: string, namespace: string): A | undefined {
    const slot = this.find(name, namespace)
    return slot === undefined ? undefined : this.slots[slot]
  }

  list(): Array<A> {
    const objects: Array<A> = []
    this.visitSlots((_, object) => objects.push(object))
    return objects
  }

  byIndex(key: unknown, value: string): Array<A> {
    this.indexAll()
    const index = this.indexes.get(key)
    if (index === undefined) throw new Error(`no index has the key ${key}`)
    const slots = index.values.get(value)
    const objects: Array<A> = []
    if (slots !== undefined) for (const slot of slots) objects.push(this.slots[slot] as A)
    return objects
  }

  /** Does the same as `set`, and leaves the objects of a first list in key order out of the maps. */
  setListed(object: A): A | undefined {
    const { slots, sorted } = this
    const isNext = sorted === slots.length && (sorted === 0 || isListedBefore(slots[sorted - 1] as A, object))
    if (!isNext || this.isIndexed || this.deleted.size > 0) return this.set(object)
    slots.push(object)
    this.sorted++
    this.count++
    return undefined
  }

  /** Puts an object and returns the one it replaces. */
  set(object: A): A | undefined {
    this.indexAll()
    const { name = "", namespace = "" } = object.metadata
    const slot = this.find(name, namespace)
    if (slot === undefined) {
      this.add(this.namesOf(namespace) ?? this.addNamespace(namespace), name, object)
      return undefined
    }
    const old = this.slots[slot] as A
    this.slots[slot] = object
    for (const index of this.indexList) {
      const before = index.indexer(old)
      const after = index.indexer(object)
      if (before === after) continue
      this.unlink(index, before, slot)
      this.link(index, after, slot)
    }
    return old
  }

  /** Removes an object and returns it. */
  delete(name: string, namespace: string): A | undefined {
    this.indexAll()
    const slot = this.find(name, namespace)
    if (slot === undefined) return undefined
    if (slot < this.sorted && !this.keepsNamespace(namespace)) {
      this.mapSorted()
      return this.delete(name, namespace)
    }
    const old = this.slots[slot] as A
    this.count--
    for (const index of this.indexList) this.unlink(index, index.indexer(old), slot)
    if (slot < this.sorted) {
      this.deleted.add(slot)
      this.sortedCounts?.set(namespace, (this.sortedCounts.get(namespace) ?? 0) - 1)
      return old
    }
    const names = this.namesOf(namespace)
    names?.delete(name)
    if (names?.size === 0) {
      this.slotsByNamespace.delete(namespace)
      this.lastNames = undefined
    }
    this.slots[slot] = undefined
    this.freeSlots.push(slot)
    return old
  }

  /** Whether the first list has more than one object of a namespace: with its last one the namespace loses its place in `list`. */
  private keepsNamespace(namespace: string): boolean {
    if (this.sortedCounts === undefined) {
      const counts = new Map<string, number>()
      for (let slot = 0; slot < this.sorted; slot++) {
        const { namespace: own = "" } = (this.slots[slot] as A).metadata
        counts.set(own, (counts.get(own) ?? 0) + 1)
      }
      this.sortedCounts = counts
    }
    return (this.sortedCounts.get(namespace) ?? 0) > 1
  }

  private find(name: string, namespace: string): number | undefined {
    if (this.sorted > 0) {
      if (++this.searches * OBJECTS_PER_SEARCH > this.sorted) this.mapSorted()
      else {
        const slot = indexInList(this.slots, this.sorted, name, namespace)
        if (slot !== undefined && !this.deleted.has(slot)) return slot
      }
    }
    return this.namesOf(namespace)?.get(name)
  }

  /** Puts the first list into the maps, before what was added later. */
  private mapSorted(): void {
    const { deleted, slots, slotsByNamespace: later, sorted } = this
    this.sorted = 0
    this.slotsByNamespace = new Map()
    this.lastNames = undefined
    for (let slot = 0; slot < sorted; slot++) {
      if (deleted.has(slot)) {
        slots[slot] = undefined
        this.freeSlots.push(slot)
        continue
      }
      const { name = "", namespace = "" } = (slots[slot] as A).metadata
      const names = this.namesOf(namespace) ?? this.addNamespace(namespace)
      names.set(name, slot)
    }
    deleted.clear()
    for (const [namespace, added] of later) {
      const names = this.namesOf(namespace) ?? this.addNamespace(namespace)
      for (const [name, slot] of added) names.set(name, slot)
    }
  }

  private indexAll(): void {
    if (this.isIndexed) return
    this.isIndexed = true
    for (const index of this.indexList) {
      this.visitSlots((slot, object) => this.link(index, index.indexer(object), slot))
    }
  }

  /** Visits the objects: namespace by namespace, each in the order in which its objects were added. */
  private visitSlots(visit: (slot: number, object: A) => void): void {
    if (this.sorted === this.slots.length && this.deleted.size === 0) {
      for (let slot = 0; slot < this.sorted; slot++) visit(slot, this.slots[slot] as A)
      return
    }
    if (this.sorted > 0) this.mapSorted()
    for (const names of this.slotsByNamespace.values()) {
      for (const slot of names.values()) visit(slot, this.slots[slot] as A)
    }
  }

  private addNamespace(namespace: string): Map<string, number> {
    const names = new Map<string, number>()
    this.slotsByNamespace.set(namespace, names)
    this.lastNames = names
    this.lastNamespace = namespace
    return names
  }

  private namesOf(namespace: string): Map<string, number> | undefined {
    if (this.lastNames === undefined || namespace !== this.lastNamespace) {
      this.lastNames = this.slotsByNamespace.get(namespace)
      this.lastNamespace = namespace
    }
    return this.lastNames
  }

  private add(names: Map<string, number>, name: string, object: A): void {
    const slot = this.freeSlots.pop() ?? this.slots.length
    this.slots[slot] = object
    names.set(name, slot)
    this.count++
    for (const index of this.indexList) this.link(index, index.indexer(object), slot)
  }

  private link({ values }: Index<A>, value: string | undefined, slot: number): void {
    if (value === undefined) return
    const slots = values.get(value)
    if (slots === undefined) values.set(value, new Set([slot]))
    else slots.add(slot)
  }

  private unlink({ values }: Index<A>, value: string | undefined, slot: number): void {
    if (value === undefined) return
    const slots = values.get(value)
    if (slots === undefined) return
    slots.delete(slot)
    if (slots.size === 0) values.delete(value)
  }
}
