import { invalid } from "@rollcall/input"
import { gapsOf } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { evictionObjects, type SeenObjects } from "./evictionsObjects.ts"
import { filedObjects } from "./filedObjects.ts"

/** A cluster out of files, as of then, of when they were taken, or of the last thing that happened in it. Kinds that evictions do not depend on are passed over. */
export const evictionObjectsOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>, asOf?: number) {
  const { coverage, objects: found } = yield* filedObjects(files)
  const objects = evictionObjects(found, asOf ?? coverage.takenMs)
  if (objects.nodes.length === 0) return yield* invalid(files.join(", "), "", "holds no Node")
  const seen: SeenObjects = { ...objects, gaps: gapsOf(found, coverage, "plan evictions") }
  return seen
})
