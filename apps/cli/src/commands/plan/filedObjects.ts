import type { Pod } from "@rollcall/api"
import { loadObjects } from "@rollcall/simulator"
import { invalid } from "@rollcall/simulator/input"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"

/** The objects of these files, of whatever kind. Pods say where they are: nobody is there to put them into a namespace. */
export const filedObjects = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const loaded = yield* Effect.forEach(files, (file) =>
    Effect.flatMap(readInput(file), (documents) => loadObjects(documents, []))
  )
  const objects = loaded.flat()
  for (const { file, kind, object, path } of objects) {
    if (kind !== "Pod" || (object as Pod).metadata.namespace !== undefined) continue
    return yield* invalid(file, path === "" ? "metadata.namespace" : `${path}.metadata.namespace`, "is required")
  }
  return objects
})
