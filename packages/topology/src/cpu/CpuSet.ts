import * as Result from "effect/Result"

/** The highest CPU id of Linux (NR_CPUS is at most 8192). A list with a higher id is an error. */
const maxId = 8191

/**
 * An immutable set of logical CPU ids. Its text is a Linux CPU list: `0-3,8`. Upstream:
 * staging/src/k8s.io/utils/cpuset.
 */
export class CpuSet {
  static readonly empty = new CpuSet([])

  /** The ids, ascending and without duplicates. */
  readonly ids: ReadonlyArray<number>

  private constructor(ids: ReadonlyArray<number>) {
    this.ids = ids
  }

  static of(ids: Iterable<number>): CpuSet {
    return new CpuSet([...new Set(ids)].sort((a, b) => a - b))
  }

  get size(): number {
    return this.ids.length
  }

  get isEmpty(): boolean {
    return this.ids.length === 0
  }

  has(id: number): boolean {
    let low = 0
    let high = this.ids.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = this.ids[middle] ?? 0
      if (found === id) return true
      if (found < id) low = middle + 1
      else high = middle - 1
    }
    return false
  }

  filter(keep: (id: number) => boolean): CpuSet {
    return new CpuSet(this.ids.filter(keep))
  }

  union(other: CpuSet): CpuSet {
    if (other.isEmpty) return this
    return this.isEmpty ? other : CpuSet.of([...this.ids, ...other.ids])
  }

  intersection(other: CpuSet): CpuSet {
    return this.filter((id) => other.has(id))
  }

  difference(other: CpuSet): CpuSet {
    return this.filter((id) => !other.has(id))
  }

  equals(other: CpuSet): boolean {
    return this.size === other.size && this.ids.every((id, index) => id === other.ids[index])
  }

  isSubsetOf(other: CpuSet): boolean {
    return this.ids.every((id) => other.has(id))
  }

  /** Returns the CPU list; an empty text for the empty set. */
  toString(): string {
    const parts: Array<string> = []
    for (let from = 0; from < this.ids.length; ) {
      let to = from
      while (this.ids[to + 1] === (this.ids[to] ?? 0) + 1) to++
      parts.push(from === to ? `${this.ids[from]}` : `${this.ids[from]}-${this.ids[to]}`)
      from = to + 1
    }
    return parts.join(",")
  }

  toJSON(): string {
    return this.toString()
  }
}

/** Parses a CPU list, or fails with upstream's error. Spaces are not allowed, `1-1` and repeated ids are. */
export const parseCpuSet = (text: string): Result.Result<CpuSet, string> => {
  if (text === "") return Result.succeed(CpuSet.empty)
  const ids = new Set<number>()
  for (const range of text.split(",")) {
    const dash = range.indexOf("-")
    const ends = dash < 0 ? [range] : [range.slice(0, dash), range.slice(dash + 1)]
    const error = ends.map(idError).find((message) => message !== undefined)
    if (error !== undefined) return Result.fail(error)
    const [start = 0, end = start] = ends.map(Number)
    if (start > end) return Result.fail(`invalid range ${JSON.stringify(range)} (${start} > ${end})`)
    for (let id = start; id <= end; id++) ids.add(id)
  }
  return Result.succeed(CpuSet.of(ids))
}

/** Returns the error of Go's strconv.Atoi for the text of an id, or undefined if it is valid. */
const idError = (text: string): string | undefined => {
  const error = !/^[+-]?\d+$/.test(text) ? "invalid syntax" : Number(text) > maxId ? "value out of range" : undefined
  return error === undefined ? undefined : `strconv.Atoi: parsing ${JSON.stringify(text)}: ${error}`
}
