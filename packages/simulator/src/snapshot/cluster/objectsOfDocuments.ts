import type { InvalidInput } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import { unshownVolumes } from "../../input/snapshotVolumes.ts"
import { gapsOf } from "../gaps.ts"
import { outsideOwnersOf } from "../outsideOwners.ts"
import { type ClusterObjects, clusterObjects } from "./ClusterObjects.ts"
import { filedObjects, withoutNodes } from "./filedObjects.ts"
import { instantOf } from "./instantOf.ts"

/**
 * A cluster out of a snapshot's documents, as of when it says it was taken, or the last thing that happened in it. Kinds that a drain
 * does not depend on are passed over.
 */
export const objectsOfDocuments = Effect.fnUntraced(function* (
  documents: ReadonlyArray<Document>
): Effect.fn.Return<ClusterObjects, InvalidInput> {
  const { coverage, objects } = yield* filedObjects(documents)
  const some = clusterObjects(0, objects)
  const nodes = some.of("Node")
  if (nodes.length === 0) return yield* withoutNodes(documents)
  const whole = [...objects, ...unshownVolumes(objects).objects]
  return clusterObjects(coverage.takenMs ?? instantOf(nodes, some.of("Pod")), whole, {
    outside: outsideOwnersOf(objects, coverage.whole),
    gaps: gapsOf(objects, coverage, "plan drain")
  })
})
