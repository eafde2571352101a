import type { Node } from "@rollcall/api"
import { didYouMean, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

/** The most node names that a message lists. */
const SHOWN = 5

/** Returns the error for an unknown node name, with the nearest name or a list of the known ones. */
const unknownNode = (name: string, known: ReadonlyArray<string>): string => {
  const head = `no node "${name}" in the cluster`
  if (name.includes(",")) return `${head}; separate names with spaces: ${name.split(",").join(" ")}`
  const near = didYouMean(name, known)
  if (near !== "") return `${head}${near}`
  const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : ""
  return `${head}, which has ${known.toSorted().slice(0, SHOWN).join(", ")}${more}`
}

/** Returns node names in order, without duplicates. Accepts `n1` and, like kubectl, `node/n1`. Fails if no node has a name. */
export const checkNodeNames = Effect.fnUntraced(function* (names: ReadonlyArray<string>, nodes: ReadonlyArray<Node>) {
  const known = nodes.map(({ metadata }) => metadata.name ?? "")
  const bare = names.map((name) => name.replace(/^(nodes?|no)\//, ""))
  for (const name of bare) {
    if (!known.includes(name)) return yield* invalid("command line", "NODE", unknownNode(name, known))
  }
  return [...new Set(bare)]
})
