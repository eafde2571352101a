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
  /** The keys that were added since the chunks were last brought up to date, while none of them was deleted. */
  private added: Array<string> = []
  /** The keys that were added (true) or deleted (false) since then, from the first deletion on. */
  private readonly changes = new Map<string, boolean>()

  get size(): number {
    return this.count
  }

  /** Adds a key, which must be absent. */
  add(key: string): void {
    if (this.changes.size > 0) {
      this.note(key, true)
      return
    }
    this.count++
    if (this.added.length === 0 && this.isAboveAll(key)) {
      this.append(key)
      return
    }
    this.added.push(key)
    this.settleMany(this.added.length)
  }

  private isAboveAll(key: string): boolean {
    const last = this.chunks[this.chunks.length - 1]
    return last === undefined || (last[last.length - 1] as string) < key
  }

  /** Deletes a key, which must be present. */
  delete(key: string): void {
    for (const added of this.added) this.changes.set(added, true)
    if (this.added.length > 0) this.added = []
    this.note(key, false)
  }

  private note(key: string, isAdded: boolean): void {
    this.count += isAdded ? 1 : -1
    if (this.changes.delete(key)) return
    this.changes.set(key, isAdded)
    this.settleMany(this.changes.size)
  }

  /** Settles at as many changes as half of the keys: all keys are put in order anew only as often as their number doubles. */
  private settleMany(changes: number): void {
    if (changes >= MIN_CHANGES && changes >= Math.min(this.count / 2, MAX_CHANGES)) this.settle()
  }

  /** Brings the chunks up to date. */
  private settle(): void {
    const { added, changes } = this
    if (added.length === 0 && changes.size === 0) return
    const deleted: Array<string> = []
    for (const [key, isAdded] of changes) (isAdded ? added : deleted).push(key)
    this.added = []
    changes.clear()
    // In order, the keys of one chunk follow each other.
    added.sort()
    if (added.length + deleted.length > Math.max(CHUNK, this.count / MANY)) {
      this.merge(added, deleted)
      return
    }
    for (const key of deleted.sort()) this.remove(key)
    for (const key of added) this.insert(key)
  }

  /** Makes all chunks anew: for many changes that costs less than a search for each. */
  private merge(added: ReadonlyArray<string>, deletions: ReadonlyArray<string>): void {
    const deleted = new Set(deletions)
    const { chunks } = this
    this.chunks = []
    let at = 0
    for (const chunk of chunks) {
      for (const key of chunk) {
        while (at < added.length && (added[at] as string) < key) this.append(added[at++] as string)
        if (deleted.size === 0 || !deleted.has(key)) this.append(key)
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
