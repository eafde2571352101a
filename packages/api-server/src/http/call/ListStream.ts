import { createGzip, type Gzip } from "node:zlib"
import type { KubeObject } from "@rollcall/api"
import type { HttpResponse } from "../wire/HttpPort.ts"
import { type Outbox, PIECE_BYTES, type Sender } from "../wire/Outbox.ts"
import type { Unsent, UnsentEntry } from "../wire/Unsent.ts"
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

/** The fastest level: an answer is sent only once, so better compression is not worth its time. */
export const GZIP_LEVEL = 1

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
  private readonly gzip: Gzip | undefined

  constructor(call: ListCall, pieces: ListPieces, outbox: Outbox, entry: UnsentEntry, isGzipped: boolean) {
    this.call = call
    this.pieces = pieces
    this.outbox = outbox
    this.entry = entry
    this.gzip = isGzipped ? createGzip({ level: GZIP_LEVEL }) : undefined
  }

  /** Sends the first piece; the others follow as the client reads. */
  begin(first: Buffer | string): void {
    const { call, gzip } = this
    const { response } = call
    response.on("drain", () => call.guard(this.onDrain))
    if (gzip !== undefined) {
      response.on("close", () => void gzip.destroy())
      gzip.on("data", (bytes: Buffer) => call.guard(() => void this.writeBytes(bytes)))
      gzip.on("drain", this.queue)
      gzip.on("end", () => call.guard(() => response.end()))
      gzip.on("error", (error) =>
        call.guard(() => {
          throw error
        })
      )
    }
    call.guard(() => this.write(first))
  }

  readonly flush = (): void =>
    this.call.guard(() => {
      if (this.call.response.destroyed) return
      if (!this.pieces.isDone) this.write(this.pieces.take(PIECE_BYTES))
      else if (this.gzip === undefined) this.call.response.end()
      else this.gzip.end()
    })

  private readonly queue = (): void => this.outbox.add(this)

  /** The client has read what was written: goes on. */
  private readonly onDrain = (): void => {
    if (this.gzip === undefined) this.queue()
    else this.gzip.resume()
  }

  private write(piece: Buffer | string): void {
    // A writer that is full returns false, and emits `drain` later.
    if (this.gzip === undefined ? this.writeBytes(piece) : this.gzip.write(piece)) this.queue()
    this.countUnsent()
  }

  /** Writes to the response; returns whether the client reads fast enough for more. */
  private writeBytes(bytes: Buffer | string): boolean {
    this.entry.written += bytes.length
    this.call.sentBytes += bytes.length
    const isRead = this.call.response.write(bytes) !== false
    if (!isRead) this.gzip?.pause()
    this.countUnsent()
    return isRead
  }

  private countUnsent(): void {
    const { call, entry, pieces } = this
    call.unsent.resize(entry, call.response.writableLength + pieces.left)
  }
}
