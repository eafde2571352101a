import type { Node } from "@rollcall/api"
import { invalid } from "@rollcall/input"
import { gapsOf, outsideOwnersOf, unshownVolumes } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { clusterObjects, instantOf } from "./drainObjects.ts"
import { filedObjects } from "./filedObjects.ts"

/** A cluster out of files, as of when it says it was taken, or the last thing that happened in it. Kinds that a drain does not depend on are passed over. */
export const objectsOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const { coverage, objects } = yield* filedObjects(files)
  const some = clusterObjects(0, objects)
  const nodes: ReadonlyArray<Node> = some.of("Node")
  if (nodes.length === 0) return yield* invalid(files.join(", "), "", "holds no Node")
  const whole = [...objects, ...unshownVolumes(objects).objects]
  return clusterObjects(coverage.takenMs ?? instantOf(nodes, some.of("Pod")), whole, {
    outside: outsideOwnersOf(objects, coverage.whole),
    gaps: gapsOf(objects, coverage, "plan drain")
  })
})
