import type { KubeObject } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import { indexInList } from "./listOrder.ts"

/** The objects of one namespace: those at the positions from `from` to before `to`. */
interface NamespaceRun {
  readonly namespace: string
  readonly from: number
  readonly to: number
  /** How many of them are left. */
  left: number
}

/** From one look-up for so many objects on, the table is made: fewer binary searches cost less. */
const OBJECTS_PER_SEARCH = 64

/** The maximum number of places of the table that a look-up tries. Of objects with random names, hardly any finds no place there. */
const MOST_PROBES = 64

/** The positions with a table that were made last for a list, by its first object: the informers of a process have the same lists. */
const latest = new WeakMap<KubeObject, WeakRef<ListPositions>>()

/**
 * Where each object of a list in key order is. The first look-ups search the list; then a table of numbers is made, whose keys are
 * the objects' own: a map of 150,000 names takes four times as long, and ten times the memory. Names chosen so that their
 * hashes collide cost no more than in such a map, whose hashes have a seed.
 */
export class ListPositions {
  private readonly objects: ReadonlyArray<KubeObject | undefined>
  readonly length: number
  private searches = 0
  /** Positions plus 1, by the hash of the key; 0: free. Never changed, because others may share it. */
  private table: Int32Array | undefined
  /** The positions of objects that found no place in the table, by their keys. */
  private unplaced = new Map<string, number>()
  private readonly runs: Array<NamespaceRun> = []

  /**
   * The first `length` objects are in key order. The caller may replace one by another of the same key, and may remove one
   * as `remove` says.
   */
  constructor(objects: ReadonlyArray<KubeObject | undefined>, length: number) {
    this.objects = objects
    this.length = length
  }

  find(name: string, namespace: string): number | undefined {
    if (this.table === undefined && ++this.searches * OBJECTS_PER_SEARCH <= this.length) {
      return indexInList(this.objects, this.length, name, namespace)
    }
    const table = this.ensureTable()
    const mask = table.length - 1
    let place = fnv1a(name, fnv1a(namespace)) & mask
    for (let probes = 0; probes < MOST_PROBES; probes++) {
      const position = (table[place] as number) - 1
      if (position < 0) return undefined
      const metadata = this.objects[position]?.metadata
      if (metadata?.name === name && (metadata.namespace ?? "") === namespace) return position
      place = (place + 1) & mask
    }
    return this.unplaced.get(keyOf(name, namespace))
  }

  /** The objects of each namespace, in the order of the list. */
  namespaces(): ReadonlyArray<NamespaceRun> {
    this.ensureTable()
    return this.runs
  }

  /**
   * Counts the object at this position as removed, after which the caller leaves the position empty. Returns false, and
   * counts nothing, for the last one of its namespace.
   */
  remove(position: number): boolean {
    this.ensureTable()
    const run = this.runOf(position)
    if (run.left === 1) return false
    run.left--
    return true
  }

  private runOf(position: number): NamespaceRun {
    let low = 0
    let high = this.runs.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (position < (this.runs[middle] as NamespaceRun).to) high = middle
      else low = middle + 1
    }
    return this.runs[low] as NamespaceRun
  }

  private ensureTable(): Int32Array {
    if (this.table !== undefined) return this.table
    const first = this.objects[0]
    const other = first && latest.get(first)?.deref()
    const table = (other && this.shareTable(other)) ?? this.makeTable()
    this.table = table
    if (first !== undefined && table !== other?.table) latest.set(first, new WeakRef(this))
    return table
  }

  /** Takes over the table of other positions, if they are those of the same names. */
  private shareTable(other: ListPositions): Int32Array | undefined {
    const { length, objects } = this
    if (other.length !== length) return undefined
    for (let position = 0; position < length; position++) {
      const object = objects[position]
      const otherObject = other.objects[position]
      if (object !== otherObject && !haveSameKey(object, otherObject)) return undefined
    }
    this.unplaced = other.unplaced
    for (const { from, namespace, to } of other.runs) this.closeRun({ from, namespace }, to)
    return other.table
  }

  private makeTable(): Int32Array {
    const { length, objects } = this
    const table = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(1, length) * 2)))
    const mask = table.length - 1
    let run: Pick<NamespaceRun, "from" | "namespace"> | undefined
    let seed = 0
    for (let position = 0; position < length; position++) {
      const { name = "", namespace = "" } = (objects[position] as KubeObject).metadata
      if (run?.namespace !== namespace) {
        if (run !== undefined) this.closeRun(run, position)
        run = { namespace, from: position }
        seed = fnv1a(namespace)
      }
      let place = fnv1a(name, seed) & mask
      let probes = 0
      while (table[place] !== 0 && ++probes < MOST_PROBES) place = (place + 1) & mask
      if (probes < MOST_PROBES) table[place] = position + 1
      else this.unplaced.set(keyOf(name, namespace), position)
    }
    if (run !== undefined) this.closeRun(run, length)
    return table
  }

  private closeRun({ from, namespace }: Pick<NamespaceRun, "from" | "namespace">, to: number): void {
    this.runs.push({ namespace, from, to, left: to - from })
  }
}

const haveSameKey = (one: KubeObject | undefined, other: KubeObject | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.metadata.name === other.metadata.name &&
  (one.metadata.namespace ?? "") === (other.metadata.namespace ?? "")

const keyOf = (name: string, namespace: string): string => `${namespace}/${name}`
