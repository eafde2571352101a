import type { Node, Pod } from "@rollcall/api"
import { loadObjects } from "@rollcall/simulator"
import { invalid } from "@rollcall/simulator/input"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"
import { clusterObjects, instantOf } from "./drainObjects.ts"

/** A cluster out of files, as of the last thing that happened in it. Kinds that a drain does not depend on are passed over. */
export const objectsOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const loaded = yield* Effect.forEach(files, (file) =>
    Effect.flatMap(readInput(file), (documents) => loadObjects(documents, []))
  )
  const objects = loaded.flat()
  for (const { file, kind, object, path } of objects) {
    if (kind !== "Pod" || (object as Pod).metadata.namespace !== undefined) continue
    return yield* invalid(file, path === "" ? "metadata.namespace" : `${path}.metadata.namespace`, "is required")
  }
  const some = clusterObjects(0, objects)
  const nodes: ReadonlyArray<Node> = some.of("Node")
  if (nodes.length === 0) return yield* invalid(files.join(", "), "", "holds no Node")
  return clusterObjects(instantOf(nodes, some.of("Pod")), objects)
})
