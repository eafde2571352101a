import { invalid } from "@rollcall/simulator/input"
import * as Effect from "effect/Effect"
import { evictionObjects } from "./evictionsObjects.ts"
import { filedObjects } from "./filedObjects.ts"

/** A cluster out of files, as of then, or as of the last thing that happened in it. Kinds that evictions do not depend on are passed over. */
export const evictionObjectsOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>, asOf?: number) {
  const objects = evictionObjects(yield* filedObjects(files), asOf)
  if (objects.nodes.length === 0) return yield* invalid(files.join(", "), "", "holds no Node")
  return objects
})
