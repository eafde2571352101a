import { escapeHtml, isKindName, sortedEntries } from "@rollcall/api"
import { goText, type Json, strategicLeftover } from "@rollcall/api/patch"
import { type Fields, isFields, withSortedKeys } from "@rollcall/api/values"
import type { MessageType, WireType } from "@rollcall/api/wire"
import type { PatchRequest } from "@rollcall/cluster"
import type { KindDefinition } from "../registry/KindDefinition.ts"

/** Returns a value of a type as Go writes it: fields in the order of the type, and the keys of maps sorted. */
const inGoOrder = (type: WireType | undefined, value: unknown): unknown => {
  if (type?.type === "list" && Array.isArray(value)) return value.map((item) => inGoOrder(type.items, item))
  if (!isFields(value)) return value
  if (type?.type === "message") return inFieldOrder(type.message, value)
  if (type?.type !== "map") return value
  return Object.fromEntries(sortedEntries(value).map(([key, item]) => [key, inGoOrder(type.values, item)]))
}

const inFieldOrder = (message: MessageType, value: Fields): Fields =>
  Object.fromEntries(
    [...message.fields.keys(), ...Object.keys(value).filter((name) => !message.fields.has(name))]
      .filter((name) => value[name] !== undefined)
      .map((name) => [name, inGoOrder(message.fields.get(name)?.type, value[name])])
  )

const typeOfChild = (type: WireType | undefined, name: string): WireType | undefined => {
  if (type?.type === "message") return type.message.fields.get(name)?.type
  return type?.type === "map" ? type.values : type?.type === "list" ? type.items : undefined
}

/** Returns a new value as the merge writes it: it sorts the keys of what it searches for nulls to remove. */
const merged = (document: unknown, patched: unknown, patch: unknown, type: WireType | undefined): unknown => {
  if (!isFields(patched)) return isFields(document) ? patched : withSortedKeys(patched)
  if (!isFields(document) || !isFields(patch)) return withSortedKeys(patched)
  const entries = sortedEntries(patched).map(([name, value]) => {
    const child = typeOfChild(type, name)
    if (!Object.hasOwn(patch, name)) return [name, inGoOrder(child, value)]
    return [name, merged(document[name], value, patch[name], child)]
  })
  return Object.fromEntries(entries)
}

/** The containers that the paths of a JSON patch lead through, as pointers. */
const containersOf = (body: unknown): ReadonlySet<string> => {
  const found = new Set([""])
  for (const operation of Array.isArray(body) ? body : []) {
    for (const pointer of [operation?.path, operation?.from]) {
      if (typeof pointer !== "string") continue
      for (let at = pointer.lastIndexOf("/"); at > 0; at = pointer.lastIndexOf("/", at - 1)) {
        found.add(pointer.slice(0, at))
      }
    }
  }
  return found
}

/** The types of the values that a JSON patch copies or moves, whose text stays that of their place in the document. */
const typesOfCopied = (
  body: unknown,
  document: unknown,
  whole: WireType
): ReadonlyMap<unknown, WireType | undefined> => {
  const found = new Map<unknown, WireType | undefined>()
  for (const { from } of Array.isArray(body) ? body : []) {
    if (typeof from !== "string") continue
    let value = document
    let type: WireType | undefined = whole
    for (const part of from.split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
      value = typeof value === "object" && value !== null ? (value as Fields)[name] : undefined
      type = typeOfChild(type, name)
    }
    if (typeof value === "object" && value !== null) found.set(value, type)
  }
  return found
}

/** What a JSON patch has opened, and what it has copied or moved. */
interface Touched {
  readonly containers: ReadonlySet<string>
  readonly copied: ReadonlyMap<unknown, WireType | undefined>
}

const edited = (
  value: unknown,
  document: unknown,
  at: string,
  touched: Touched,
  type: WireType | undefined
): unknown => {
  if (typeof value !== "object" || value === null) return value
  const { containers, copied } = touched
  if (!containers.has(at)) {
    if (value === document) return inGoOrder(type, value)
    return copied.has(value) ? inGoOrder(copied.get(value), value) : value
  }
  const before = (typeof document === "object" && document !== null ? document : {}) as Fields
  const child = (item: unknown, name: string): unknown => {
    const pointer = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
    return edited(item, before[name], pointer, touched, typeOfChild(type, name))
  }
  if (Array.isArray(value)) return value.map((item, index) => child(item, String(index)))
  return Object.fromEntries(sortedEntries(value as Fields).map(([name, item]) => [name, child(item, name)]))
}

/**
 * Returns the value that the error of a refused patch shows: what is left of a strategic one, for other types the
 * patched object as text. Go writes the maps that the patch has opened with sorted keys, and leaves the text of others.
 * Upstream: apiserver/pkg/endpoints/handlers/patch.go, and gopkg.in/evanphx/json-patch.v4.
 */
export const shownPatch = (
  { message: schema, resource }: KindDefinition,
  { body, patchType, subresource }: PatchRequest,
  document: unknown,
  patched: unknown,
  message: MessageType
): string => {
  const structural = subresource === "scale" ? undefined : schema
  if (patchType === "strategic") {
    return goText(isKindName(resource.kind) ? strategicLeftover(resource.kind, document, body) : (body as Json))
  }
  const type: WireType = { type: "message", message }
  const stored = structural === undefined ? document : withSortedKeys(document)
  // A list in place of a merge patch is all searched for nulls.
  const mergedInto = Array.isArray(body) ? undefined : stored
  const shown =
    patchType === "merge"
      ? merged(mergedInto, patched, body, type)
      : edited(patched, stored, "", { containers: containersOf(body), copied: typesOfCopied(body, stored, type) }, type)
  return escapeHtml(JSON.stringify(structural === undefined ? shown : withSortedKeys(shown)))
}
