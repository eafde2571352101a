/** The number of elements of a new chunk. A chunk of twice this size is split. */
const CHUNK = 512

/** A list in chunks, so that an insertion or removal does not move all later elements of a long list. */
export class LongList<A> {
  length: number
  private readonly chunks: Array<Array<A>> = []

  constructor(items: ReadonlyArray<A>) {
    this.length = items.length
    for (let at = 0; at < items.length; at += CHUNK) this.chunks.push(items.slice(at, at + CHUNK))
    if (this.chunks.length === 0) this.chunks.push([])
  }

  at(index: number): A {
    const [chunk, offset] = this.locate(index)
    return this.chunks[chunk]?.[offset] as A
  }

  set(index: number, item: A): void {
    const [chunk, offset] = this.locate(index)
    const items = this.chunks[chunk]
    if (items !== undefined) items[offset] = item
  }

  insert(index: number, item: A): void {
    const [chunk, offset] = this.locate(index)
    const items = this.chunks[chunk] ?? []
    items.splice(offset, 0, item)
    this.length++
    if (items.length >= 2 * CHUNK) this.chunks.splice(chunk + 1, 0, items.splice(CHUNK))
  }

  remove(index: number): void {
    const [chunk, offset] = this.locate(index)
    const items = this.chunks[chunk] ?? []
    items.splice(offset, 1)
    this.length--
    if (items.length === 0 && this.chunks.length > 1) this.chunks.splice(chunk, 1)
  }

  toArray(): Array<A> {
    return this.chunks.flat()
  }

  /** Returns the position of an index; the index after the last element is the end of the last chunk. */
  private locate(index: number): readonly [chunk: number, offset: number] {
    let offset = index
    const last = this.chunks.length - 1
    for (let chunk = 0; chunk < last; chunk++) {
      const { length } = this.chunks[chunk] as Array<A>
      if (offset < length) return [chunk, offset]
      offset -= length
    }
    return [last, offset]
  }
}
