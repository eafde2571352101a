import type { KubeObject } from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import { type IncludeObject, type Printer, partialObjectMetadata, tableOf } from "../printing/index.ts"

/** How a watch wants its events. */
export interface EventShape {
  /** Watches with the same key share what was encoded for one of them. */
  readonly key: string
  /** The object of an event; `first`: nothing was sent before. */
  readonly object: (object: KubeObject, first: boolean) => unknown
}

export const plainEvents: EventShape = { key: "", object: (object) => object }

export const metadataEvents: EventShape = { key: "metadata", object: partialObjectMetadata }

/** Tables of one row; the columns come with the first only. Cells are made when somebody is told, so ages need the present. */
export const tableEvents = (
  printer: Printer,
  includeObject: IncludeObject,
  version: string,
  now: () => number
): EventShape => ({
  key: `table ${version} ${includeObject}`,
  object: (object, first) => ({
    ...tableOf(printer, [object], { includeObject, nowMs: now(), withoutColumns: !first }),
    apiVersion: `meta.k8s.io/${version}`
  })
})

type Frames = WeakMap<WatchEvent, Buffer>

/** The frames of events, encoded once for all who watch them in the same shape: a fleet's writes are seen by many. */
export class EventEncoder {
  private readonly byShape = new Map<string, Frames>()

  frame(event: WatchEvent, shape: EventShape, first: boolean): Buffer {
    const frames = this.framesOf(shape.key)
    if (first && shape.key.startsWith("table")) return encode(event, shape, true)
    const known = frames.get(event)
    if (known !== undefined) return known
    const frame = encode(event, shape, false)
    frames.set(event, frame)
    return frame
  }

  private framesOf(key: string): Frames {
    let frames = this.byShape.get(key)
    if (frames === undefined) {
      frames = new WeakMap()
      this.byShape.set(key, frames)
    }
    return frames
  }
}

const encode = (event: WatchEvent, shape: EventShape, first: boolean): Buffer => {
  const object = event.type === "ERROR" ? event.object : shape.object(event.object, first)
  return Buffer.from(`{"type":"${event.type}","object":${JSON.stringify(object)}}\n`)
}
