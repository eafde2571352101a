import type { Pod } from "@rollcall/api"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { type LoadedObject, loadObjects } from "../../input/objects.ts"
import { type Coverage, coverageOf } from "../coverage.ts"

/** The objects of a snapshot, and what its documents say of themselves. */
export interface FiledObjects {
  readonly objects: ReadonlyArray<LoadedObject>
  readonly coverage: Coverage
}

/** The objects of these documents, of any kind. Pods say where they are: there is no default namespace. */
export const filedObjects = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Document>
): Effect.fn.Return<FiledObjects, InvalidInput> {
  const objects = yield* loadObjects(documents, [])
  for (const { file, kind, object, path } of objects) {
    if (kind !== "Pod" || (object as Pod).metadata.namespace !== undefined) continue
    return yield* invalid(file, path === "" ? "metadata.namespace" : `${path}.metadata.namespace`, "is required")
  }
  return { objects, coverage: coverageOf(documents) }
})

/** What is said of a snapshot that holds no node. */
export const withoutNodes = (documents: ReadonlyArray<Document>): InvalidInput =>
  invalid([...new Set(documents.map(({ file }) => file))].join(", "), "", "holds no Node")
