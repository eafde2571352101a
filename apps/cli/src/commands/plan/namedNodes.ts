import type { Node } from "@rollcall/api"
import { didYouMean, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

const SHOWN = 5

/** What is said of a name that no node has: the nearest one, or what there is. */
const unknownNode = (name: string, known: ReadonlyArray<string>): string => {
  const head = `no node "${name}" in the cluster`
  if (name.includes(",")) return `${head}; names are parted by blanks: ${name.split(",").join(" ")}`
  const near = didYouMean(name, known)
  if (near !== "") return `${head}${near}`
  const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : ""
  return `${head}, which has ${known.toSorted().slice(0, SHOWN).join(", ")}${more}`
}

/** The nodes that are meant, each once, in order: `n1`, or as kubectl takes it too, `node/n1`. */
export const namedNodes = Effect.fnUntraced(function* (names: ReadonlyArray<string>, nodes: ReadonlyArray<Node>) {
  const known = nodes.map(({ metadata }) => metadata.name ?? "")
  const bare = names.map((name) => name.replace(/^(nodes?|no)\//, ""))
  for (const name of bare) {
    if (!known.includes(name)) return yield* invalid("command line", "NODE", unknownNode(name, known))
  }
  return [...new Set(bare)]
})
