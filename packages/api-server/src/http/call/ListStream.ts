import { createGzip, type Gzip } from "node:zlib"
import type { KubeObject } from "@rollcall/api"
import type { HttpResponse } from "../wire/HttpPort.ts"
import { type Outbox, PIECE_BYTES, type Sender } from "../wire/Outbox.ts"
import type { Held, Unsent } from "../wire/Unsent.ts"

/** A list whose members are serialized while it is written. */
export interface LazyList {
  /** Everything except its members. */
  readonly head: object
  readonly field: "items" | "rows"
  readonly objects: ReadonlyArray<KubeObject>
  /** Returns the JSON of an object's member. */
  readonly textOf: (object: KubeObject) => string
}

const END = "]}\n"

/**
 * The JSON of a list in pieces, with the same text as the whole. The pieces are strings and not buffers: the buffers
 * they become on their way to a socket are freed when they are sent, and not by the next garbage collection.
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

  /** The approximate number of characters left, estimated from those made so far. */
  get left(): number {
    const { length } = this.list.objects
    return this.next === 0 ? 0 : Math.ceil((this.made / this.next) * (length - this.next))
  }

  /** Returns about this many characters, at least one member; an empty text when the list is done. */
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

/** The fastest level: an answer is sent only once. */
const GZIP_LEVEL = 1

/** The call that is answered with a list. */
export interface ListCall {
  readonly response: HttpResponse
  readonly unsent: Unsent
  readonly guard: (work: () => void) => void
}

/**
 * The answer of a large list: each piece is made when the client has read the previous ones, in turn with all such
 * answers. So a list of any length blocks no other request, and uses no more memory than a piece.
 */
export class ListStream implements Sender {
  private readonly call: ListCall
  private readonly pieces: ListPieces
  private readonly outbox: Outbox
  private readonly held: Held
  private readonly gzip: Gzip | undefined

  constructor(call: ListCall, pieces: ListPieces, outbox: Outbox, held: Held, isPacked: boolean) {
    this.call = call
    this.pieces = pieces
    this.outbox = outbox
    this.held = held
    this.gzip = isPacked ? createGzip({ level: GZIP_LEVEL }) : undefined
  }

  begin(first: string): void {
    const { call, gzip } = this
    const { response } = call
    response.on("drain", () => call.guard(this.drained))
    if (gzip !== undefined) {
      response.on("close", () => void gzip.destroy())
      gzip.on("data", (bytes: Buffer) => call.guard(() => void this.hand(bytes)))
      gzip.on("drain", this.wake)
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

  private readonly wake = (): void => this.outbox.add(this)

  private readonly drained = (): void => {
    if (this.gzip === undefined) this.wake()
    else this.gzip.resume()
  }

  private write(piece: string): void {
    // A writer that is full returns false, and emits `drain` later.
    if (this.gzip === undefined ? this.hand(piece) : this.gzip.write(piece)) this.wake()
    this.count()
  }

  private hand(bytes: Buffer | string): boolean {
    this.held.written += bytes.length
    const isRead = this.call.response.write(bytes) !== false
    if (!isRead) this.gzip?.pause()
    this.count()
    return isRead
  }

  private count(): void {
    const { call, held, pieces } = this
    call.unsent.resize(held, call.response.writableLength + pieces.left)
  }
}
