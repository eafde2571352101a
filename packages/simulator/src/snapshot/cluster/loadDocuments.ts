import type { Pod } from "@rollcall/api"
import { type InvalidInput, invalid, missing } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { type LoadedObject, loadObjects } from "../../input/objects.ts"
import { type Coverage, coverageOf } from "../coverage.ts"

/** The objects of a snapshot, in all states that its documents have, and the coverage that they declare. */
export interface LoadedDocuments {
  readonly objects: ReadonlyArray<LoadedObject>
  readonly coverage: Coverage
}

/** Loads the objects of these documents, of any kind. Fails if a Pod has no namespace: there is no default. */
export const loadDocuments = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Document>
): Effect.fn.Return<LoadedDocuments, InvalidInput> {
  const objects = yield* loadObjects(documents, [])
  for (const { file, kind, object, path } of objects) {
    if (kind !== "Pod" || (object as Pod).metadata.namespace !== undefined) continue
    return yield* invalid(file, path === "" ? "metadata.namespace" : `${path}.metadata.namespace`, missing())
  }
  return { objects, coverage: coverageOf(documents) }
})

/** Returns the error for a snapshot without any Node. */
export const withoutNodes = (documents: ReadonlyArray<Document>): InvalidInput =>
  invalid(
    [...new Set(documents.map(({ file }) => file))].join(", "),
    "",
    "holds no Node: kubectl get all leaves them out, kubectl get nodes,pods … -A and rollcall snapshot do not"
  )
