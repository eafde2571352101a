/** Elements of a piece; twice as many split it. */
const PIECE = 512

/** A list under change, in pieces: inserting at its head costs no more than at its end, however long it is. */
export class LongList<A> {
  length: number
  private readonly pieces: Array<Array<A>> = []

  constructor(items: ReadonlyArray<A>) {
    this.length = items.length
    for (let at = 0; at < items.length; at += PIECE) this.pieces.push(items.slice(at, at + PIECE))
    if (this.pieces.length === 0) this.pieces.push([])
  }

  at(index: number): A {
    const [piece, offset] = this.locate(index)
    return this.pieces[piece]?.[offset] as A
  }

  set(index: number, item: A): void {
    const [piece, offset] = this.locate(index)
    const items = this.pieces[piece]
    if (items !== undefined) items[offset] = item
  }

  insert(index: number, item: A): void {
    const [piece, offset] = this.locate(index)
    const items = this.pieces[piece] ?? []
    items.splice(offset, 0, item)
    this.length++
    if (items.length >= 2 * PIECE) this.pieces.splice(piece + 1, 0, items.splice(PIECE))
  }

  remove(index: number): void {
    const [piece, offset] = this.locate(index)
    const items = this.pieces[piece] ?? []
    items.splice(offset, 1)
    this.length--
    if (items.length === 0 && this.pieces.length > 1) this.pieces.splice(piece, 1)
  }

  toArray(): Array<A> {
    return this.pieces.flat()
  }

  /** The place of an index; that behind the last element is the end of the last piece. */
  private locate(index: number): readonly [piece: number, offset: number] {
    let offset = index
    const last = this.pieces.length - 1
    for (let piece = 0; piece < last; piece++) {
      const { length } = this.pieces[piece] as Array<A>
      if (offset < length) return [piece, offset]
      offset -= length
    }
    return [last, offset]
  }
}
