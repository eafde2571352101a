import { directive } from "./directives.ts"
import { isList, isMap, type Json, MapDraft, member, originalIfSame } from "./Json.ts"

/** Returns a value without the null members of maps, at any depth; nulls in lists are kept. */
export const withoutNulls = (value: Json): Json => {
  if (isList(value)) return originalIfSame(value, value.map(withoutNulls))
  if (!isMap(value)) return value
  const draft = new MapDraft(value)
  for (const [key, child] of Object.entries(value)) {
    if (child === null) draft.delete(key)
    else draft.put(key, withoutNulls(child))
  }
  return draft.done()
}

/** Returns a value without the maps that contain `$patch`; undefined if it is such a map itself. */
export const withoutDirectives = (value: Json): Json | undefined => {
  if (isList(value))
    return originalIfSame(
      value,
      value.map(withoutDirectives).filter((child) => child !== undefined)
    )
  if (!isMap(value)) return value
  if (member(value, directive) !== undefined) return undefined
  const draft = new MapDraft(value)
  for (const [key, child] of Object.entries(value)) {
    const kept = withoutDirectives(child)
    if (kept === undefined) draft.delete(key)
    else draft.put(key, kept)
  }
  return draft.done()
}

/** Whether a value is stored as it is: its maps have neither nulls nor `$patch`. */
const isPlain = (value: Json): boolean => {
  if (isList(value)) return value.every(isPlain)
  if (!isMap(value)) return true
  if (member(value, directive) !== undefined) return false
  for (const key in value) {
    const child = value[key] as Json
    if (child === null || !isPlain(child)) return false
  }
  return true
}

/** Returns a value of a patch as it is stored where the object has none: without nulls and directives. */
export const newValue = (value: Json): Json | undefined =>
  isPlain(value) ? value : withoutDirectives(withoutNulls(value))
