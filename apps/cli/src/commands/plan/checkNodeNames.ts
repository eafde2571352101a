import type { Node } from "@rollcall/api"
import { didYouMean } from "@rollcall/input"
import * as Effect from "effect/Effect"
import { usageError } from "../../usageError.ts"

/** The most node names that a message lists. */
const MAX_LISTED = 5

/** Returns the error message for an unknown node name, with the nearest name or a list of the known ones. */
const unknownNodeMessage = (name: string, known: ReadonlyArray<string>): string => {
  const head = `no node "${name}" in the cluster`
  if (name.includes(",")) return `${head}; separate names with spaces: ${name.split(",").join(" ")}`
  const near = didYouMean(name, known)
  if (near !== "") return `${head}${near}`
  const more = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : ""
  return `${head}, which has ${known.toSorted().slice(0, MAX_LISTED).join(", ")}${more}`
}

/**
 * Returns node names in their order on the command line, without duplicates. Accepts `n1` and, like kubectl, `node/n1`. Fails if one of
 * the names is the name of no node.
 */
export const checkNodeNames = Effect.fnUntraced(function* (names: ReadonlyArray<string>, nodes: ReadonlyArray<Node>) {
  const known = nodes.map(({ metadata }) => metadata.name ?? "")
  const bare = names.map((name) => name.replace(/^(nodes?|no)\//, ""))
  for (const name of bare) {
    if (!known.includes(name)) return yield* usageError(unknownNodeMessage(name, known), "NODE")
  }
  return [...new Set(bare)]
})
