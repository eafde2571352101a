import { escapeHtml, type KubeObject } from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import { type IncludeObject, type Printer, partialObjectMetadata, tableOf } from "@rollcall/printers"
import type { TimersShape } from "@rollcall/time"
import { emptyObject, printedEmptyObject } from "../../core/objects/emptyObjects.ts"
import { objectJson } from "../../core/watch/objectJson.ts"
import { encodeWatchFrame } from "../codec/encodeBody.ts"
import type { Encoding } from "../request/mediaTypes.ts"

/** The form of a watch's events. */
export interface EventShape {
  /** Watches with the same key share encoded events. */
  readonly key: string
  /** Returns the object in an event; `first` says whether it is the first event of the watch. */
  readonly object: (object: KubeObject, first: boolean) => unknown
  /** Whether the first event of a watch differs from later ones, so that it cannot be shared. */
  readonly firstDiffers: boolean
  /** Whether an object in an event cannot have this form, so that the first event ends the watch. */
  readonly endsWatch?: boolean
}

/** YAML cannot be streamed document by document. */
export type StreamEncoding = Exclude<Encoding, "yaml">

/** Events with the objects themselves. */
export const plainEvents: EventShape = { key: "", object: (object) => object, firstDiffers: false }

/** Events with the metadata of their objects, as PartialObjectMetadata; also bookmarks. */
export const metadataEvents = (version: string): EventShape => ({
  key: `metadata ${version}`,
  object: (object) => partialObjectMetadata(object, version),
  firstDiffers: false
})

/** Events as PartialObjectMetadataList, which no object can be. */
export const listEvents: EventShape = { ...plainEvents, endsWatch: true }

/**
 * Events with Tables of one row; only the first event has the column definitions. Cells are computed when they are
 * sent, since ages depend on the current time.
 */
export const tableEvents = (
  printer: Printer,
  includeObject: IncludeObject,
  version: string,
  { handleError, now }: Pick<TimersShape, "handleError" | "now">
): EventShape => ({
  key: `table ${version} ${includeObject}`,
  object: (object, first) =>
    tableOf(printer, [object], {
      includeObject,
      version,
      nowMs: now(),
      withoutColumns: !first,
      onUnprintable: (_, error) => handleError("table row", error, { kind: object.kind, name: object.metadata.name })
    }),
  firstDiffers: true
})

/**
 * The size of the recent frames; the same amount of older ones is kept. That is enough for the time in which watches
 * are sent the same event one after the other.
 */
const MAX_RECENT_BYTES = 4 * 1024 * 1024

interface Joined {
  readonly frames: ReadonlyArray<Buffer>
  readonly bytes: Buffer
}

const isSameList = (left: ReadonlyArray<Buffer>, right: ReadonlyArray<Buffer>): boolean => {
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false
  return true
}

/** Encoded events by their event or object. */
type Frames = Map<object, Buffer>

/**
 * Encodes events once for all watchers of the same form: many watchers see a fleet's writes, and watches that start
 * together have the same initial events. The newest frames are kept, bounded in bytes; events stay in the history of
 * their kind for longer.
 */
export class EventEncoder {
  private recent = new Map<string, Frames>()
  private older = new Map<string, Frames>()
  private bytes = 0
  /** The last key: nearly all frames of a round have the same, and a text that is made anew is hashed anew. */
  private lastKey = { type: "", encoding: "", shape: "", key: "" }
  private lastJoined: Joined = { frames: [], bytes: Buffer.alloc(0) }

  /** Returns frames as one buffer, the same one to all watches that are sent these frames one after the other. */
  joined(frames: ReadonlyArray<Buffer>): Buffer {
    const [first] = frames
    if (first !== undefined && frames.length === 1) return first
    const { lastJoined } = this
    if (isSameList(frames, lastJoined.frames)) return lastJoined.bytes
    const bytes = Buffer.concat(frames)
    this.lastJoined = { frames, bytes }
    return bytes
  }

  /** Returns an event encoded for a watch, from the kept frames if possible. */
  frame(event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer {
    if (first && shape.firstDiffers) return encode(event, shape, encoding, true)
    const key = this.keyOf(event.type, encoding, shape.key)
    // Initial events belong to one watch. Rows of a table contain ages: they are made for each event.
    const source = shape.firstDiffers ? event : event.object
    const known = this.recent.get(key)?.get(source) ?? this.older.get(key)?.get(source)
    if (known !== undefined) return known
    const frame = encode(event, shape, encoding, false)
    this.keep(key, source, frame)
    return frame
  }

  private keyOf(type: string, encoding: string, shape: string): string {
    const { lastKey } = this
    if (lastKey.type !== type || lastKey.encoding !== encoding || lastKey.shape !== shape)
      this.lastKey = { type, encoding, shape, key: `${type} ${encoding} ${shape}` }
    return this.lastKey.key
  }

  /** Encodes an event for only one watch. */
  frameForOne(event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer {
    return encode(event, shape, encoding, first)
  }

  /** The size of the kept frames in bytes. */
  get keptBytes(): number {
    let bytes = 0
    for (const shapes of [this.recent, this.older])
      for (const frames of shapes.values()) for (const frame of frames.values()) bytes += frame.length
    return bytes
  }

  private keep(key: string, source: object, frame: Buffer): void {
    if (this.bytes + frame.length > MAX_RECENT_BYTES && this.bytes > 0) {
      this.older = this.recent
      this.recent = new Map()
      this.bytes = 0
    }
    this.bytes += frame.length
    const frames = this.recent.get(key)
    if (frames === undefined) this.recent.set(key, new Map([[source, frame]]))
    else frames.set(source, frame)
  }
}

interface Table {
  readonly rows: ReadonlyArray<{ readonly object: { readonly kind: string } | null }>
}

/** Returns what a bookmark shows. A row of a table is printed before its object is converted to the version of the watch. */
const bookmarkOf = (given: KubeObject, shape: EventShape, first: boolean): unknown => {
  if (!shape.firstDiffers) return shape.object(emptyObject(given), first)
  const table = shape.object(printedEmptyObject(given), first) as Table
  const rows = table.rows.map((row) => (row.object?.kind === given.kind ? { ...row, object: emptyObject(given) } : row))
  return { ...table, rows }
}

const shownIn = (event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): unknown => {
  if (event.type === "ERROR") return event.object
  if (event.type === "BOOKMARK" && encoding === "json") return bookmarkOf(event.object as KubeObject, shape, first)
  return shape.object(event.object, first)
}

const encode = (event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer => {
  const object = shownIn(event, shape, encoding, first)
  if (encoding === "json") {
    const isPlain = event.type !== "ERROR" && object === event.object
    const json = isPlain ? objectJson(event.object) : escapeHtml(JSON.stringify(object))
    return Buffer.from(`{"type":"${event.type}","object":${json}}\n`)
  }
  const frame = encodeWatchFrame(event.type, object)
  if (frame === undefined) throw new Error(`an event of ${event.type} cannot be encoded as ${encoding}`)
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
}
