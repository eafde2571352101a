import type { InvalidInput } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { loadDocuments, withoutNodes } from "../cluster/loadDocuments.ts"
import { gapsOf } from "../gaps.ts"
import { latestOfEach } from "../latestOfEach.ts"
import { type EvictionInput, evictionObjects } from "./evictionObjects.ts"

/**
 * Loads the objects of an eviction forecast from a snapshot's documents. Their time is `asOf` (ms since the epoch), otherwise the one
 * that the snapshot records, otherwise the latest timestamp in it. Other kinds are ignored. Fails if there is no Node.
 */
export const evictionObjectsOfDocuments = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Document>,
  asOf?: number
): Effect.fn.Return<EvictionInput, InvalidInput> {
  const { coverage, objects: found } = yield* loadDocuments(documents)
  const latest = latestOfEach(found)
  const objects = evictionObjects(latest.objects, asOf ?? coverage.takenMs)
  if (objects.nodes.length === 0) return yield* withoutNodes(documents)
  return { ...objects, gaps: gapsOf(latest, coverage, "plan evictions") }
})
