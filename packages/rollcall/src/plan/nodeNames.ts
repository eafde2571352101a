import type { Node } from "@rollcall/api"
import { type InvalidInput, invalid, unknownName } from "@rollcall/input"
import * as Effect from "effect/Effect"

/** Fails if one of the names that were given for `nodes` is that of no node. */
export const checkNodeNames = (
  names: ReadonlyArray<string>,
  nodes: ReadonlyArray<Node>
): Effect.Effect<ReadonlyArray<string>, InvalidInput> => {
  const known = nodes.map(({ metadata }) => metadata.name ?? "")
  const wrong = names.findIndex((name) => !known.includes(name))
  const name = names[wrong]
  return name === undefined
    ? Effect.succeed([...new Set(names)])
    : Effect.fail(invalid("options", `nodes[${wrong}]`, unknownName(`no node "${name}" in the cluster`, name, known)))
}
