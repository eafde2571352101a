import type { Pod } from "@rollcall/api"
import { invalid } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import { loadObjects } from "@rollcall/simulator"
import { coverageOf } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"

/** The objects of these files, of any kind, and what the files say of themselves. Pods say where they are: there is no default. */
export const filedObjects = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const documents: Array<Document> = []
  for (const file of files) for (const document of yield* readInput(file)) documents.push(document)
  const objects = yield* loadObjects(documents, [])
  for (const { file, kind, object, path } of objects) {
    if (kind !== "Pod" || (object as Pod).metadata.namespace !== undefined) continue
    return yield* invalid(file, path === "" ? "metadata.namespace" : `${path}.metadata.namespace`, "is required")
  }
  return { objects, coverage: coverageOf(documents) }
})
