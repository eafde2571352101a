/** The maximum number of keys in a chunk; a longer chunk is split in halves. */
const CHUNK = 512

/** Returns the first position in a sorted array whose key is not below `key`. */
const lowerBound = (keys: ReadonlyArray<string>, key: string): number => {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}

/** So many changes wait for the next ordered read. */
const MIN_CHANGES = 16_384
/** The most that wait, however many keys there are: putting more in order at once would hold up the caller. */
const MAX_CHANGES = 65_536

/** With more changes than one for so many keys, all keys are put in order anew. */
const MANY = 16

/**
 * A set of strings in the order of their UTF-16 code units: a sorted array in chunks, so that an insertion into 100,000
 * keys moves a few hundred. Bounds are half open, `lower <= key < upper`; without an upper bound the range has no end.
 * Keys are put in order at the next ordered read: those of Events, for example, are written by the thousand and hardly
 * ever listed.
 */
export class SortedKeys {
  /** No chunk is empty. */
  private chunks: Array<Array<string>> = []
  private count = 0
  /** The keys that were added (true) or deleted (false) since the chunks were last brought up to date. */
  private readonly changes = new Map<string, boolean>()

  get size(): number {
    return this.count
  }

  /** Adds a key, which must be absent. */
  add(key: string): void {
    const last = this.chunks[this.chunks.length - 1]
    if (this.changes.size > 0 || (last !== undefined && (last[last.length - 1] as string) > key)) {
      this.note(key, true)
      return
    }
    this.append(key)
    this.count++
  }

  /** Deletes a key, which must be present. */
  delete(key: string): void {
    this.note(key, false)
  }

  private note(key: string, isAdded: boolean): void {
    this.count += isAdded ? 1 : -1
    if (this.changes.delete(key)) return
    this.changes.set(key, isAdded)
    // As many as half of the keys: all keys are put in order anew only as often as their number doubles.
    if (this.changes.size >= MIN_CHANGES && this.changes.size >= Math.min(this.count / 2, MAX_CHANGES)) this.settle()
  }

  /** Brings the chunks up to date. */
  private settle(): void {
    if (this.changes.size === 0) return
    if (this.changes.size > Math.max(CHUNK, this.count / MANY)) {
      this.merge()
      return
    }
    // In order, the keys of one chunk follow each other.
    const changes = [...this.changes].sort(([left], [right]) => (left < right ? -1 : 1))
    this.changes.clear()
    for (const [key, isAdded] of changes) {
      if (isAdded) this.insert(key)
      else this.remove(key)
    }
  }

  /** Makes all chunks anew: for many changes that costs less than a search for each. */
  private merge(): void {
    const added: Array<string> = []
    const deleted = new Set<string>()
    for (const [key, isAdded] of this.changes) {
      if (isAdded) added.push(key)
      else deleted.add(key)
    }
    this.changes.clear()
    added.sort()
    const { chunks } = this
    this.chunks = []
    let at = 0
    for (const chunk of chunks) {
      for (const key of chunk) {
        while (at < added.length && (added[at] as string) < key) this.append(added[at++] as string)
        if (!deleted.has(key)) this.append(key)
      }
    }
    while (at < added.length) this.append(added[at++] as string)
  }

  /** Adds a key above all others. */
  private append(key: string): void {
    const last = this.chunks[this.chunks.length - 1]
    if (last === undefined || last.length >= CHUNK) this.chunks.push([key])
    else last.push(key)
  }

  private insert(key: string): void {
    const index = Math.min(this.chunkOf(key), this.chunks.length - 1)
    const chunk = this.chunks[index]
    if (chunk === undefined) {
      this.chunks.push([key])
      return
    }
    chunk.splice(lowerBound(chunk, key), 0, key)
    if (chunk.length > CHUNK) this.chunks.splice(index + 1, 0, chunk.splice(CHUNK >> 1))
  }

  private remove(key: string): void {
    const index = this.chunkOf(key)
    const chunk = this.chunks[index] as Array<string>
    if (chunk.length === 1) this.chunks.splice(index, 1)
    else chunk.splice(lowerBound(chunk, key), 1)
  }

  /** Visits keys in order until the visitor returns false. The set must not change meanwhile. */
  visit(lower: string, upper: string | undefined, visitor: (key: string) => boolean): void {
    this.settle()
    for (let index = this.chunkOf(lower), at = -1; index < this.chunks.length; index++) {
      const chunk = this.chunks[index] as Array<string>
      at = at < 0 ? lowerBound(chunk, lower) : 0
      for (; at < chunk.length; at++) {
        const key = chunk[at] as string
        if (upper !== undefined && key >= upper) return
        if (!visitor(key)) return
      }
    }
  }

  /** Counts the keys between the bounds, in time proportional to the number of chunks. */
  countBetween(lower: string, upper: string | undefined): number {
    this.settle()
    const end = upper === undefined ? this.count : this.rank(upper)
    return Math.max(0, end - this.rank(lower))
  }

  private rank(key: string): number {
    const index = this.chunkOf(key)
    let rank = 0
    for (let before = 0; before < index; before++) rank += (this.chunks[before] as Array<string>).length
    const chunk = this.chunks[index]
    return chunk === undefined ? rank : rank + lowerBound(chunk, key)
  }

  /** Returns the first chunk whose last key is not below `key`; the number of chunks when there is none. */
  private chunkOf(key: string): number {
    let low = 0
    let high = this.chunks.length
    while (low < high) {
      const middle = (low + high) >> 1
      const chunk = this.chunks[middle] as Array<string>
      if ((chunk[chunk.length - 1] as string) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Returns the smallest string above every string that starts with the prefix; undefined when there is none. */
export const endOfPrefix = (prefix: string): string | undefined => {
  for (let length = prefix.length; length > 0; length--) {
    const code = prefix.charCodeAt(length - 1)
    if (code < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(code + 1)
  }
  return undefined
}
