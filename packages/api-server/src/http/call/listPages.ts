import type { KubeObject } from "@rollcall/api"
import { allocateChunk } from "@rollcall/streams/http1"
import { keepListedBytes, listedBytes } from "../../core/watch/objectJson.ts"

/** Consecutive objects of a list: their JSON, separated by commas, and the index of the object after them. */
interface ListedItems {
  readonly items: Buffer
  readonly next: number
}

/**
 * Returns the JSON of the objects from an index on, about so many bytes, with a comma after each but the last of the list. It is
 * kept in pages of neighbours: a list of objects that have not changed since the last one is sent from there, and only a page in
 * which an object has changed is made anew.
 */
export const takeListed = (
  objects: ReadonlyArray<KubeObject>,
  from: number,
  bytes: number,
  textOf: (object: KubeObject) => string
): ListedItems => {
  if (from === objects.length) return { items: NONE, next: from }
  const { items, next } = keptItems(objects, from, bytes / 2) ?? makePage(objects, from, bytes, textOf)
  return { items: next === objects.length ? items.subarray(0, -1) : items, next }
}

const NONE = Buffer.alloc(0)

/** Returns the rest of a page if its objects are the next ones, and it is not so short that it should be joined with others. */
const keptItems = (objects: ReadonlyArray<KubeObject>, from: number, leastBytes: number): ListedItems | undefined => {
  const first = listedBytes(objects[from] as KubeObject)
  if (first === undefined) return undefined
  const { page, start } = first
  let { end } = first
  let next = from + 1
  for (; next < objects.length; next++) {
    const kept = listedBytes(objects[next] as KubeObject)
    if (kept?.page !== page || kept.start !== end) break
    end = kept.end
  }
  const isRest = next === objects.length || (end === page.length && end - start >= leastBytes)
  if (!isRest) return undefined
  // A whole page is sent from where it is.
  return { items: (start === 0 && end === page.length ? page : page.subarray(start, end)) as Buffer, next }
}

/** Puts the JSON of the next objects into a page, from the pages where it is, and keeps it there. */
const makePage = (
  objects: ReadonlyArray<KubeObject>,
  from: number,
  bytes: number,
  textOf: (object: KubeObject) => string
): ListedItems => {
  const parts: Array<Uint8Array> = []
  let size = 0
  let next = from
  for (; next < objects.length && (size < bytes || next === from); next++) {
    const kept = listedBytes(objects[next] as KubeObject)
    // Before another page this one ends early, so that a change does not move the objects of all later pages.
    if (kept?.start === 0 && size >= bytes / 2) break
    const part = kept?.page.subarray(kept.start, kept.end) ?? Buffer.from(`${textOf(objects[next] as KubeObject)},`)
    parts.push(part)
    size += part.length
  }
  const page = allocateChunk(size)
  let end = 0
  for (const [index, part] of parts.entries()) {
    const start = end
    page.set(part, start)
    end += part.length
    keepListedBytes(objects[from + index] as KubeObject, { page, start, end })
  }
  return { items: page, next }
}
