import type { KubeObject } from "@rollcall/api"
import type { HttpResponse } from "../wire/HttpPort.ts"
import { type Outbox, PIECE_BYTES, type Sender } from "../wire/Outbox.ts"
import type { Unsent, UnsentEntry } from "../wire/Unsent.ts"
import { GzipPieces } from "./GzipPieces.ts"
import { takeListed } from "./listPages.ts"

/** A list whose members are serialized while it is written. */
export interface LazyList {
  /** The list without its members, whose name is `field`. */
  readonly head: object
  readonly field: "items" | "rows"
  /** What follows the members. */
  readonly tail?: object
  readonly objects: ReadonlyArray<KubeObject>
  /** Returns the JSON of an object's member. */
  readonly textOf: (object: KubeObject) => string
  /** Whether that is the same in each list with the object, so that its bytes are kept for the next one. */
  readonly isKept?: boolean
}

const endOf = (tail: object | undefined): string =>
  tail === undefined ? "]}\n" : `],${JSON.stringify(tail).slice(1)}\n`

/**
 * The JSON of a list in pieces, with the same text as the whole. Pieces are the bytes that are kept of the objects, or strings: the
 * buffers that these become on their way to a socket are freed when they are sent, and not by the next garbage collection.
 */
export class ListPieces {
  private readonly list: LazyList
  private next = 0
  private madeCharacters = 0
  private hasEnded = false

  constructor(list: LazyList) {
    this.list = list
  }

  get isDone(): boolean {
    return this.hasEnded
  }

  /** The approximate number of characters left, estimated from those made so far. */
  get left(): number {
    const { length } = this.list.objects
    return this.next === 0 ? 0 : Math.ceil((this.madeCharacters / this.next) * (length - this.next))
  }

  /** Returns the next piece: about this many characters, and at least one member. Returns "" when the list is done. */
  take(characters: number): Buffer | string {
    const { field, head, isKept, objects, tail } = this.list
    if (this.hasEnded) return ""
    const start = this.next > 0 ? "" : `${JSON.stringify(head).slice(0, -1)},"${field}":[`
    const members = isKept === true ? this.takeKept(characters) : this.takeTexts(characters)
    this.hasEnded = this.next === objects.length
    const end = this.hasEnded ? endOf(tail) : ""
    this.madeCharacters += start.length + members.length
    if (start === "" && end === "") return members
    return typeof members === "string"
      ? start + members + end
      : Buffer.concat([Buffer.from(start), members, Buffer.from(end)])
  }

  private takeKept(bytes: number): Buffer {
    const { objects, textOf } = this.list
    const { items, next } = takeListed(objects, this.next, bytes, textOf)
    this.next = next
    return items
  }

  private takeTexts(characters: number): string {
    const { objects, textOf } = this.list
    // All members are joined at once: what is added to a long string afterwards has it copied once more when it is sent.
    const parts: Array<string> = []
    let size = 0
    while (this.next < objects.length && (size < characters || parts.length === 0)) {
      const text = textOf(objects[this.next++] as KubeObject)
      parts.push(text)
      size += text.length + 1
    }
    if (this.next < objects.length) parts.push("")
    return parts.join(",")
  }
}

/** The part of a `Call` that a ListStream uses. */
export interface ListCall {
  readonly response: HttpResponse
  readonly unsent: Unsent
  readonly guard: (work: () => void) => void
  /** The size of the response so far. */
  sentBytes: number
}

/**
 * Sends a large list: each piece is made when the client has read the previous ones, in a round of the Outbox, which
 * serves all such answers in turn. So a list of any length blocks no other request, and uses no more memory than a
 * piece.
 */
export class ListStream implements Sender {
  private readonly call: ListCall
  private readonly pieces: ListPieces
  private readonly outbox: Outbox
  private readonly entry: UnsentEntry
  private readonly gzip: GzipPieces | undefined
  /** Until then nothing else is made of the list. */
  private isCompressing = false

  constructor(call: ListCall, pieces: ListPieces, outbox: Outbox, entry: UnsentEntry, isGzipped: boolean) {
    this.call = call
    this.pieces = pieces
    this.outbox = outbox
    this.entry = entry
    this.gzip = isGzipped ? new GzipPieces() : undefined
  }

  /** Sends the first piece; the others follow as the client reads. */
  begin(first: Buffer | string): void {
    const { call } = this
    call.response.on("drain", () => call.guard(this.queue))
    call.guard(() => this.send(first))
  }

  readonly flush = (): void =>
    this.call.guard(() => {
      if (this.call.response.destroyed || this.isCompressing) return
      if (this.pieces.isDone) this.call.response.end()
      else this.send(this.pieces.take(PIECE_BYTES))
    })

  private readonly queue = (): void => this.outbox.add(this)

  private send(piece: Buffer | string): void {
    const { call, gzip, pieces } = this
    if (gzip === undefined) {
      this.write(piece)
      return
    }
    this.isCompressing = true
    gzip.add(piece, pieces.isDone, (error, part) =>
      call.guard(() => {
        this.isCompressing = false
        if (error !== null) throw error
        if (!call.response.destroyed) this.write(part)
      })
    )
  }

  /** Writes to the response, and goes on when the client has read that. */
  private write(bytes: Buffer | string): void {
    const { call, entry, pieces } = this
    entry.written += bytes.length
    call.sentBytes += bytes.length
    // A writer that is full returns false, and emits `drain` later.
    if (call.response.write(bytes) !== false) this.queue()
    call.unsent.resize(entry, call.response.writableLength + pieces.left)
  }
}
