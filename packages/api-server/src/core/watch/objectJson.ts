import { hasHtml, type KubeObject } from "@rollcall/api"
import { goJson, isAsWritten } from "@rollcall/api/wire"

/** The JSON of a listed object and a comma: `page` has them beside those of its neighbours in the list. */
export interface ListedBytes {
  readonly page: Uint8Array
  readonly start: number
  readonly end: number
}

/** Objects are immutable: each that lists contain is encoded once for all of them. */
const listed = new WeakMap<KubeObject, ListedBytes>()

export const listedBytes = (object: KubeObject): ListedBytes | undefined => listed.get(object)

export const keepListedBytes = (object: KubeObject, bytes: ListedBytes): void => void listed.set(object, bytes)

/** Returns the JSON of a single object, from the cache if it was just written. Does not cache it. */
export const objectJson = (object: KubeObject): string => recent.get(object) ?? older.get(object) ?? goJson(object)

/**
 * Drops the bytes of an object that is no longer listed: otherwise they would live as long as the history that contains
 * the object.
 */
export const forgetJson = (object: KubeObject): void => void listed.delete(object)

/**
 * The number of characters of objects just written that are kept, and as many of older ones: enough until their answers
 * and events are encoded.
 */
const MAX_WRITTEN_CHARACTERS = 64 * 1024

let recent = new Map<KubeObject, string>()
let older = new Map<KubeObject, string>()
let characters = 0

/** Keeps the JSON that the store has written for an object, whose resourceVersion has become the given one since. */
export const keepWrittenJson = (object: KubeObject, stored: string, resourceVersion: string): void => {
  if (!isMetadataFirst(object) || !isAsWritten(object) || hasHtml(stored)) return
  const start = stored.indexOf(FIELD) + FIELD.length
  const json = stored.slice(0, start) + resourceVersion + stored.slice(stored.indexOf('"', start))
  if (characters + json.length > MAX_WRITTEN_CHARACTERS) {
    older = recent
    recent = new Map()
    characters = 0
  }
  characters += json.length
  recent.set(object, json)
}

const FIELD = '"resourceVersion":"'

/** Whether nothing in which a client could write `FIELD` precedes the resourceVersion: within a text its quotes are escaped. */
const isMetadataFirst = (object: KubeObject): boolean => {
  for (const key in object) {
    if (key === "metadata") return isVersionFirst(object.metadata)
    if (key !== "kind" && key !== "apiVersion") return false
  }
  return false
}

const isVersionFirst = (metadata: KubeObject["metadata"]): boolean => {
  for (const key in metadata) {
    if (key === "resourceVersion") return true
    if (!beforeVersion.has(key)) return false
  }
  return false
}

/** The fields that Go writes before the resourceVersion. All are texts. */
const beforeVersion: ReadonlySet<string> = new Set(["name", "generateName", "namespace", "selfLink", "uid"])
