import type * as Result from "effect/Result"
import { isList, isMap, type Json, type JsonMap, MapDraft, sharedList } from "./Json.ts"
import { attempt, PatchError } from "./PatchError.ts"

/** Without the null members of maps, at any depth; nulls in lists stay. */
const pruned = (value: Json): Json => {
  if (isList(value)) return sharedList(value, value.map(pruned))
  if (!isMap(value)) return value
  const draft = new MapDraft(value)
  for (const [key, child] of Object.entries(value)) {
    if (child === null) draft.delete(key)
    else draft.put(key, pruned(child))
  }
  return draft.done()
}

const mergeMember = (draft: MapDraft, key: string, patch: Json): void => {
  const current = draft.get(key)
  if (isMap(current) && isMap(patch)) draft.put(key, mergeMaps(current, patch))
  // Where a map meets a list, upstream leaves the nulls inside the list's elements alone; else it prunes them.
  else draft.set(key, isMap(current) ? patch : pruned(patch))
}

const mergeMaps = (current: JsonMap, patch: JsonMap): JsonMap => {
  const draft = new MapDraft(current)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) draft.delete(key)
    else mergeMember(draft, key, value)
  }
  return draft.done()
}

/**
 * Applies a JSON Merge Patch (RFC 7386): maps merge, null removes, all else replaces. The result shares what did not change,
 * and is the document itself when nothing did.
 *
 * Upstream: gopkg.in/evanphx/json-patch.v4/merge.go.
 */
export const applyMergePatch = (document: unknown, patch: unknown): Result.Result<Json, PatchError> =>
  attempt(() => {
    const body = patch as Json
    if (!isMap(body) && !isList(body)) throw new PatchError({ code: 400, message: "Invalid JSON Patch" })
    if (document === null || document === undefined)
      throw new PatchError({ code: 500, message: "Invalid JSON Document" })
    return isMap(body) && isMap(document) ? mergeMaps(document, body) : pruned(body)
  })
