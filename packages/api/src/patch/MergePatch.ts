import type * as Result from "effect/Result"
import { isList, isMap, type Json, type JsonMap, MapDraft } from "./Json.ts"
import { withoutNulls } from "./newValue.ts"
import { catchPatchError, PatchError } from "./PatchError.ts"

const mergeMember = (draft: MapDraft, key: string, patch: Json): void => {
  const current = draft.get(key)
  if (isMap(current) && isMap(patch)) draft.put(key, mergeMaps(current, patch))
  // When a map replaces a list or a list a map, upstream keeps the nulls within the list's elements; otherwise it
  // prunes them.
  else draft.set(key, isMap(current) ? patch : withoutNulls(patch))
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
 * Applies a JSON Merge Patch (RFC 7386): maps merge, null removes, everything else replaces. The result shares
 * unchanged values, and is the document itself when nothing changed.
 *
 * Upstream: gopkg.in/evanphx/json-patch.v4/merge.go.
 */
export const applyMergePatch = (document: unknown, patch: unknown): Result.Result<Json, PatchError> =>
  catchPatchError(() => {
    const body = patch as Json
    if (!isMap(body) && !isList(body)) throw new PatchError({ code: 400, message: "Invalid JSON Patch" })
    if (document === null || document === undefined)
      throw new PatchError({ code: 500, message: "Invalid JSON Document" })
    return isMap(body) && isMap(document) ? mergeMaps(document, body) : withoutNulls(body)
  })
