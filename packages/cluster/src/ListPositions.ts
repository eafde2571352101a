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

/**
 * Where each object of a list in key order is. The first look-ups search the list; then a table of numbers is made, whose keys are
 * the objects' own: a map of 150,000 names takes four times as long, and ten times the memory. Names chosen so that their
 * hashes collide cost no more than in such a map, whose hashes have a seed.
 */
export class ListPositions {
  private readonly objects: ReadonlyArray<KubeObject | undefined>
  readonly length: number
  private searches = 0
  /** Positions plus 1, by the hash of the key; 0: free. */
  private table: Int32Array | undefined
  /** The positions of objects that found no place in the table, by their keys. */
  private readonly unplaced = new Map<string, number>()
  private runs: Array<NamespaceRun> = []

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
    const { length, objects } = this
    const table = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(1, length) * 2)))
    const mask = table.length - 1
    let run: NamespaceRun | undefined
    let seed = 0
    for (let position = 0; position < length; position++) {
      const { name = "", namespace = "" } = (objects[position] as KubeObject).metadata
      if (run?.namespace !== namespace) {
        if (run !== undefined) this.closeRun(run, position)
        run = { namespace, from: position, to: length, left: length - position }
        seed = fnv1a(namespace)
      }
      let place = fnv1a(name, seed) & mask
      let probes = 0
      while (table[place] !== 0 && ++probes < MOST_PROBES) place = (place + 1) & mask
      if (probes < MOST_PROBES) table[place] = position + 1
      else this.unplaced.set(keyOf(name, namespace), position)
    }
    if (run !== undefined) this.closeRun(run, length)
    this.table = table
    return table
  }

  private closeRun({ from, namespace }: NamespaceRun, to: number): void {
    this.runs.push({ namespace, from, to, left: to - from })
  }
}

const keyOf = (name: string, namespace: string): string => `${namespace}/${name}`
