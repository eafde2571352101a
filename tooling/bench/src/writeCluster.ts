import { appendFileSync, writeFileSync } from "node:fs"
import { bigCluster } from "./bigCluster.ts"

/*
 * A program: writes a large cluster to a file. `node writeCluster.ts FILE NODES PODS_PER_NODE`.
 */

/** Objects that are written to the file at once. */
const PIECE = 1000

/** Writes a List in pieces: that of a large cluster is longer than a string can be. */
const writeList = (file: string, objects: ReadonlyArray<unknown>) => {
  writeFileSync(file, `{"apiVersion":"v1","kind":"List","items":[`)
  for (let from = 0; from < objects.length; from += PIECE) {
    const piece = objects.slice(from, from + PIECE).map((object) => JSON.stringify(object))
    appendFileSync(file, `${from === 0 ? "" : ","}${piece.join(",")}`)
  }
  appendFileSync(file, "]}")
}

const [file = "", nodes, podsPerNode] = process.argv.slice(2)
writeList(file, bigCluster({ nodes: Number(nodes), podsPerNode: Number(podsPerNode) }))
