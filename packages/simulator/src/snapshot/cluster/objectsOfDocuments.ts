import type { InvalidInput } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { unshownVolumes } from "../../input/snapshotVolumes.ts"
import { gapsOf } from "../gaps.ts"
import { outsideOwnersOf } from "../outsideOwners.ts"
import { type ClusterObjects, clusterObjects } from "./ClusterObjects.ts"
import { latestTimestamp } from "./latestTimestamp.ts"
import { loadDocuments, withoutNodes } from "./loadDocuments.ts"

/**
 * Loads the objects that a drain plan needs from a snapshot's documents. Their time is the one that the snapshot records, otherwise
 * the latest timestamp in it. Other kinds are ignored. Fails if there is no Node.
 */
export const objectsOfDocuments = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Document>
): Effect.fn.Return<ClusterObjects, InvalidInput> {
  const { coverage, objects } = yield* loadDocuments(documents)
  const some = clusterObjects(0, objects)
  const nodes = some.of("Node")
  if (nodes.length === 0) return yield* withoutNodes(documents)
  const whole = [...objects, ...unshownVolumes(objects).objects]
  return clusterObjects(coverage.takenMs ?? latestTimestamp(nodes, some.of("Pod")), whole, {
    outside: outsideOwnersOf(objects, coverage.whole),
    gaps: gapsOf(objects, coverage, "plan drain")
  })
})
