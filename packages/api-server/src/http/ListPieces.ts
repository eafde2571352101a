import type { KubeObject } from "@rollcall/api"

/** A list whose members are made as it is written. */
export interface LazyList {
  /** All of it but its members. */
  readonly head: object
  readonly field: "items" | "rows"
  readonly objects: ReadonlyArray<KubeObject>
  /** JSON of the member for an object. */
  readonly textOf: (object: KubeObject) => string
}

const COMMA = 44
const END = "]}\n"

/** The JSON of a list, a piece at a time: the same bytes as of the whole. */
export class ListPieces {
  private readonly list: LazyList
  private next = 0
  private made = 0
  private hasEnded = false

  constructor(list: LazyList) {
    this.list = list
  }

  get isDone(): boolean {
    return this.hasEnded
  }

  /** About how many bytes are yet to be made, by those that were. */
  get leftBytes(): number {
    const { length } = this.list.objects
    return this.next === 0 ? 0 : Math.ceil((this.made / this.next) * (length - this.next))
  }

  /** So many bytes or a little more, of at least one member; nothing of a list that is done. */
  take(bytes: number): Buffer {
    const { field, head, objects, textOf } = this.list
    if (this.hasEnded) return Buffer.alloc(0)
    const first = this.next
    const start = first === 0 ? `${JSON.stringify(head).slice(0, -1)},"${field}":[` : ""
    const texts: Array<string> = []
    let size = start.length
    while (this.next < objects.length && (size < bytes || texts.length === 0)) {
      const text = textOf(objects[this.next++] as KubeObject)
      texts.push(text)
      size += text.length
    }
    this.hasEnded = this.next === objects.length
    const piece = bytesOf(start, texts, first > 0, this.hasEnded ? END : "")
    this.made += piece.length
    return piece
  }
}

/** In bytes and not as one text, which would be copied again and again on its way. */
const bytesOf = (start: string, texts: ReadonlyArray<string>, goesOn: boolean, end: string): Buffer => {
  const commas = texts.length - (goesOn ? 0 : 1)
  let size = Buffer.byteLength(start) + Math.max(0, commas) + end.length
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let at = bytes.write(start)
  texts.forEach((text, index) => {
    if (goesOn || index > 0) bytes[at++] = COMMA
    at += bytes.write(text, at)
  })
  bytes.write(end, at)
  return bytes
}
