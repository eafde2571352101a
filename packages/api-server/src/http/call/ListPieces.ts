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

const END = "]}\n"

/**
 * The JSON of a list, a piece at a time: the same text as of the whole. Texts and not buffers: what these become on their way to a socket is
 * freed when it is sent, and not when garbage is collected next.
 */
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

  /** About how many characters are yet to be made, by those that were. */
  get left(): number {
    const { length } = this.list.objects
    return this.next === 0 ? 0 : Math.ceil((this.made / this.next) * (length - this.next))
  }

  /** So many characters or a little more, of at least one member; nothing of a list that is done. */
  take(characters: number): string {
    const { field, head, objects, textOf } = this.list
    if (this.hasEnded) return ""
    const goesOn = this.next > 0
    const start = goesOn ? "," : `${JSON.stringify(head).slice(0, -1)},"${field}":[`
    const texts: Array<string> = []
    let size = start.length
    while (this.next < objects.length && (size < characters || texts.length === 0)) {
      const text = textOf(objects[this.next++] as KubeObject)
      texts.push(text)
      size += text.length
    }
    this.hasEnded = this.next === objects.length
    this.made += size
    return `${start}${texts.join(",")}${this.hasEnded ? END : ""}`
  }
}
