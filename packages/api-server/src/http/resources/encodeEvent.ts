import type { KubeObject } from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import { type IncludeObject, type Printer, tableOf } from "../../core/printing/index.ts"
import { partialObjectMetadata } from "../../core/printing/tableOf.ts"
import { objectJson } from "../../core/watch/KindCache.ts"
import { encodeWatchFrame } from "../codec/index.ts"
import type { Encoding } from "../request/mediaTypes.ts"

/** How a watch wants its events. */
export interface EventShape {
  /** Watches with the same key share what was encoded for one of them. */
  readonly key: string
  /** The object of an event; `first`: nothing was sent before. */
  readonly object: (object: KubeObject, first: boolean) => unknown
  /** The first event says more than those after it. */
  readonly columns: boolean
}

/** YAML has no form in which one document follows another as it happens. */
export type StreamEncoding = Exclude<Encoding, "yaml">

export const plainEvents: EventShape = { key: "", object: (object) => object, columns: false }

/** The metadata of objects; bare bookmarks and statuses among them, too. */
export const metadataEvents = (version: string): EventShape => ({
  key: `metadata ${version}`,
  object: (object) => partialObjectMetadata(object, version),
  columns: false
})

/** Tables of one row; the columns come with the first only. Cells are made when somebody is told, so ages need the present. */
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
      onOdd: (_, error) => handleError("table row", error, { kind: object.kind, name: object.metadata.name })
    }),
    apiVersion: `meta.k8s.io/${version}`
  }),
  columns: true
})

/** What is kept of frames, twice over: as long as watches of the same event are likely to be sent it one after the other. */
const KEPT_BYTES = 4 * 1024 * 1024

type Frames = Map<object, Buffer>

/**
 * The frames of events, encoded once for all who watch them in the same shape: a fleet's writes are seen by many, and so is what watches
 * begin with that come at once. The newest are kept, bounded in bytes; events stay in the history of their kind for longer.
 */
export class EventEncoder {
  private recent = new Map<string, Frames>()
  private older = new Map<string, Frames>()
  private bytes = 0

  frame(event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer {
    if (first && shape.columns) return encode(event, shape, encoding, true)
    const key = `${event.type} ${encoding} ${shape.key}`
    // Watches that begin with an object have events of their own. Rows of a table tell ages: they are made for each event.
    const of = shape.columns ? event : event.object
    const known = this.recent.get(key)?.get(of) ?? this.older.get(key)?.get(of)
    if (known !== undefined) return known
    const frame = encode(event, shape, encoding, false)
    this.keep(key, of, frame)
    return frame
  }

  /** Of an event that one watch is told of alone. */
  once(event: WatchEvent, shape: EventShape, encoding: StreamEncoding, first: boolean): Buffer {
    return encode(event, shape, encoding, first)
  }

  /** How many bytes of frames are kept. */
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
