import type { KubeObject } from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { type IncludeObject, type Printer, tableOf } from "../../core/printing/index.ts"
import { partialObjectMetadata } from "../../core/printing/tableOf.ts"
import { objectJson } from "../../core/watch/KindCache.ts"
import { encodeWatchFrame } from "../codec/index.ts"
import type { Encoding } from "../request/mediaTypes.ts"

/** The form of a watch's events. */
export interface EventShape {
  /** Watches with the same key share encoded events. */
  readonly key: string
  /** Returns the object of an event; `first`: it is the first event of the watch. */
  readonly object: (object: KubeObject, first: boolean) => unknown
  /** The first event differs from later ones. */
  readonly columns: boolean
}

/** YAML cannot be streamed document by document. */
export type StreamEncoding = Exclude<Encoding, "yaml">

export const plainEvents: EventShape = { key: "", object: (object) => object, columns: false }

/** The metadata of objects, including bookmarks and statuses. */
export const metadataEvents = (version: string): EventShape => ({
  key: `metadata ${version}`,
  object: (object) => partialObjectMetadata(object, version),
  columns: false
})

/**
 * Tables of one row; only the first event has the column definitions. Cells are computed when they are sent, since ages
 * depend on the current time.
 */
export const tableEvents = (
  printer: Printer,
  includeObject: IncludeObject,
  version: string,
  { handleError, now }: Pick<TimersShape, "handleError" | "now">
): EventShape => ({
  key: `table ${version} ${includeObject}`,
  object: (object, first) => ({
    ...tableOf(printer, [object], {
      includeObject,
      nowMs: now(),
      withoutColumns: !first,
      onUnprintable: (_, error) => handleError("table row", error, { kind: object.kind, name: object.metadata.name })
    }),
    apiVersion: `meta.k8s.io/${version}`
  }),
  columns: true
})

/** Half of the kept frames' size: enough for the time in which watches are sent the same event one after the other. */
const KEPT_BYTES = 4 * 1024 * 1024

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

  frame(event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer {
    if (first && shape.columns) return encode(event, shape, encoding, true)
    const key = `${event.type} ${encoding} ${shape.key}`
    // Initial events belong to one watch. Rows of a table contain ages: they are made for each event.
    const of = shape.columns ? event : event.object
    const known = this.recent.get(key)?.get(of) ?? this.older.get(key)?.get(of)
    if (known !== undefined) return known
    const frame = encode(event, shape, encoding, false)
    this.keep(key, of, frame)
    return frame
  }

  /** Encodes an event for only one watch. */
  once(event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer {
    return encode(event, shape, encoding, first)
  }

  /** The size of the kept frames in bytes. */
  get keptBytes(): number {
    let bytes = 0
    for (const shapes of [this.recent, this.older])
      for (const frames of shapes.values()) for (const frame of frames.values()) bytes += frame.length
    return bytes
  }

  private keep(key: string, of: object, frame: Buffer): void {
    if (this.bytes + frame.length > KEPT_BYTES && this.bytes > 0) {
      this.older = this.recent
      this.recent = new Map()
      this.bytes = 0
    }
    this.bytes += frame.length
    const frames = this.recent.get(key)
    if (frames === undefined) this.recent.set(key, new Map([[of, frame]]))
    else frames.set(of, frame)
  }
}

const encode = (event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer => {
  const object = event.type === "ERROR" ? event.object : shape.object(event.object, first)
  if (encoding === "json") {
    const isPlain = event.type !== "ERROR" && object === event.object
    const json = isPlain ? objectJson(event.object) : JSON.stringify(object)
    return Buffer.from(`{"type":"${event.type}","object":${json}}\n`)
  }
  const frame = encodeWatchFrame(event.type, object)
  if (frame === undefined) throw new Error(`no ${encoding} for a watch event`)
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
}
