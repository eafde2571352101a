import type { KubeObject } from "@rollcall/api"
import { ListPositions } from "./ListPositions.ts"
import { isListedBefore } from "./listOrder.ts"

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

/**
 * Objects by namespace and name, with indexes. Objects are shared, never copied. Two levels of maps save building a
 * `namespace/name` string for each of a million heartbeats.
 *
 * A first list in key order stays out of the maps, and `ListPositions` finds its objects. Whether the maps have it or not makes no
 * difference to any answer.
 */
export class ObjectCache<A extends KubeObject> {
  /** The objects. Those of deleted ones are free, but for those of the first list. */
  private readonly slots: Array<A | undefined> = []
  private readonly freeSlots: Array<number> = []
  /** How many slots from 0 on are those of a first list, in key order and not in the maps. */
  private sorted = 0
  /** Where they are; undefined until one is looked up. */
  private positions: ListPositions | undefined
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
    if (!isNext || this.isIndexed) return this.set(object)
    this.positions = undefined
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
    const isSorted = slot < this.sorted
    // With its last object a namespace loses its place in `list`.
    if (isSorted && this.positions?.remove(slot) === false) {
      this.mapSorted()
      return this.delete(name, namespace)
    }
    const old = this.slots[slot] as A
    this.count--
    for (const index of this.indexList) this.unlink(index, index.indexer(old), slot)
    this.slots[slot] = undefined
    if (isSorted) return old
    const names = this.namesOf(namespace)
    names?.delete(name)
    if (names?.size === 0) {
      this.slotsByNamespace.delete(namespace)
      this.lastNames = undefined
    }
    this.freeSlots.push(slot)
    return old
  }

  private find(name: string, namespace: string): number | undefined {
    if (this.sorted > 0) {
      this.positions ??= new ListPositions(this.slots, this.sorted)
      const slot = this.positions.find(name, namespace)
      if (slot !== undefined) return slot
    }
    return this.namesOf(namespace)?.get(name)
  }

  /** Puts the first list into the maps, before what was added later. */
  private mapSorted(): void {
    const { slots, slotsByNamespace: later, sorted } = this
    this.sorted = 0
    this.positions = undefined
    this.slotsByNamespace = new Map()
    this.lastNames = undefined
    for (let slot = 0; slot < sorted; slot++) {
      const object = slots[slot]
      if (object === undefined) {
        this.freeSlots.push(slot)
        continue
      }
      const { name = "", namespace = "" } = object.metadata
      const names = this.namesOf(namespace) ?? this.addNamespace(namespace)
      names.set(name, slot)
    }
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
    const { count, slots, sorted } = this
    if (count === sorted && slots.length === sorted) {
      for (let slot = 0; slot < sorted; slot++) visit(slot, slots[slot] as A)
      return
    }
    const listed = new Set<string>()
    if (sorted > 0) {
      this.positions ??= new ListPositions(slots, sorted)
      for (const { from, namespace, to } of this.positions.namespaces()) {
        listed.add(namespace)
        for (let slot = from; slot < to; slot++) {
          const object = slots[slot]
          if (object !== undefined) visit(slot, object)
        }
        this.visitLater(this.slotsByNamespace.get(namespace), visit)
      }
    }
    for (const [namespace, names] of this.slotsByNamespace) if (!listed.has(namespace)) this.visitLater(names, visit)
  }

  private visitLater(names: ReadonlyMap<string, number> | undefined, visit: (slot: number, object: A) => void): void {
    if (names !== undefined) for (const slot of names.values()) visit(slot, this.slots[slot] as A)
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
