import type { Pod } from "@rollcall/api"
import { loadObjects } from "@rollcall/simulator"
import { invalid } from "@rollcall/simulator/input"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"
import { evictionObjects } from "./evictionsObjects.ts"

/** A cluster out of files, as of then, or as of the last thing that happened in it. Kinds that evictions do not depend on are passed over. */
export const evictionObjectsOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>, asOf?: number) {
  const loaded = yield* Effect.forEach(files, (file) =>
    Effect.flatMap(readInput(file), (documents) => loadObjects(documents, []))
  )
  const found = loaded.flat()
  for (const { file, kind, object, path } of found) {
    if (kind !== "Pod" || (object as Pod).metadata.namespace !== undefined) continue
    return yield* invalid(file, path === "" ? "metadata.namespace" : `${path}.metadata.namespace`, "is required")
  }
  const objects = evictionObjects(found, asOf)
  if (objects.nodes.length === 0) return yield* invalid(files.join(", "), "", "holds no Node")
  return objects
})
