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

/**
 * A set of strings in the order of their UTF-16 code units: a sorted array in chunks, so that an insertion into 100,000
 * keys moves a few hundred. Bounds are half open, `lower <= key < upper`; without an upper bound the range has no end.
 */
export class SortedKeys {
  /** No chunk is empty. */
  private chunks: Array<Array<string>> = []
  private count = 0

  get size(): number {
    return this.count
  }

  /** Returns false when the key exists already. */
  add(key: string): boolean {
    const last = this.chunks[this.chunks.length - 1]
    if (last === undefined || (last[last.length - 1] as string) < key) {
      if (last === undefined || last.length >= CHUNK) this.chunks.push([key])
      else last.push(key)
      this.count++
      return true
    }
    const index = this.chunkOf(key)
    const chunk = this.chunks[index] as Array<string>
    const at = lowerBound(chunk, key)
    if (chunk[at] === key) return false
    chunk.splice(at, 0, key)
    if (chunk.length > CHUNK) this.chunks.splice(index + 1, 0, chunk.splice(CHUNK >> 1))
    this.count++
    return true
  }

  /** Returns false when the key does not exist. */
  delete(key: string): boolean {
    const index = this.chunkOf(key)
    const chunk = this.chunks[index]
    if (chunk === undefined) return false
    const at = lowerBound(chunk, key)
    if (chunk[at] !== key) return false
    if (chunk.length === 1) this.chunks.splice(index, 1)
    else chunk.splice(at, 1)
    this.count--
    return true
  }

  /** Visits keys in order until the visitor returns false. The set must not change meanwhile. */
  visit(lower: string, upper: string | undefined, visitor: (key: string) => boolean): void {
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
