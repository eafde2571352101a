import type { InvalidInput } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { filedObjects, withoutNodes } from "../cluster/filedObjects.ts"
import { gapsOf } from "../gaps.ts"
import { evictionObjects, type SeenObjects } from "./evictionObjects.ts"

/**
 * What evictions depend on out of a snapshot's documents, as of `asOf` (ms since the epoch), of when they were taken, or of the last
 * thing that happened in them. Kinds that evictions do not depend on are passed over.
 */
export const evictionObjectsOfDocuments = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Document>,
  asOf?: number
): Effect.fn.Return<SeenObjects, InvalidInput> {
  const { coverage, objects: found } = yield* filedObjects(documents)
  const objects = evictionObjects(found, asOf ?? coverage.takenMs)
  if (objects.nodes.length === 0) return yield* withoutNodes(documents)
  return { ...objects, gaps: gapsOf(found, coverage, "plan evictions") }
})
