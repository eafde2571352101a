import type { InvalidInput } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { assumedVolumes } from "../../input/snapshotVolumes.ts"
import { gapsOf } from "../gaps.ts"
import { latestOfEach } from "../latestOfEach.ts"
import { outsideOwnersOf } from "../outsideOwners.ts"
import { datedObjects, snapshotTime } from "../snapshotTime.ts"
import { type ClusterObjects, clusterObjects } from "./ClusterObjects.ts"
import { loadDocuments, withoutNodes } from "./loadDocuments.ts"

/**
 * Loads the objects that a drain plan needs from a snapshot's documents. Their time is the one that the snapshot records, otherwise
 * the latest timestamp in it. Other kinds are ignored. Fails if there is no Node.
 */
export const objectsOfDocuments = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Document>
): Effect.fn.Return<ClusterObjects, InvalidInput> {
  const { coverage, objects: loaded } = yield* loadDocuments(documents)
  const latest = latestOfEach(loaded)
  const { objects } = latest
  const ofFile = clusterObjects(0, objects)
  if (ofFile.of("Node").length === 0) return yield* withoutNodes(documents)
  const completed = [...objects, ...assumedVolumes(objects).objects]
  return clusterObjects(snapshotTime(datedObjects(objects), coverage.takenMs), completed, {
    outside: outsideOwnersOf(objects, coverage.whole),
    gaps: gapsOf(latest, coverage, "plan drain")
  })
})
