import { matchesLabelSelector, type Node, selectNothing } from "@rollcall/api"
import { readSelector } from "@rollcall/input"
import * as Result from "effect/Result"
import type { NodeSelection } from "../groups/NodeGroup.ts"

/** A node that can be selected. */
export interface Candidate {
  readonly name: string
  readonly group: string | undefined
  readonly node: Node | undefined
}

const natural = /(\d+)|(\D+)/g

/** `a-2` before `a-10`. */
export const compareNames = (left: string, right: string): number => {
  const ours = left.match(natural) ?? []
  const theirs = right.match(natural) ?? []
  for (let index = 0; index < Math.min(ours.length, theirs.length); index++) {
    const [a = "", b = ""] = [ours[index], theirs[index]]
    if (a === b) continue
    const difference = Number(a) - Number(b)
    return Number.isNaN(difference) || difference === 0 ? (a < b ? -1 : 1) : difference
  }
  return ours.length - theirs.length
}

/** The zone of a node, by its labels. */
export const zoneOfNode = (node: Node | undefined): string => {
  const labels = node?.metadata.labels
  return labels?.["failure-domain.beta.kubernetes.io/zone"] ?? labels?.["topology.kubernetes.io/zone"] ?? ""
}

const matches = (selection: NodeSelection, { group, name, node }: Candidate): boolean => {
  if (selection.names !== undefined && !selection.names.includes(name)) return false
  if (selection.group !== undefined && selection.group !== group) return false
  if (selection.zone !== undefined && selection.zone !== zoneOfNode(node)) return false
  if (selection.selector === undefined) return true
  const selector = Result.getOrElse(readSelector(selection.selector), () => selectNothing)
  return matchesLabelSelector(selector, node?.metadata.labels)
}

/**
 * The nodes that meet all given criteria; with `fraction` (rounded up) or `count` only that many, the first in a
 * seeded order. Sorted by name.
 */
export const selectNodes = (
  selection: NodeSelection,
  candidates: ReadonlyArray<Candidate>,
  rankOf: (name: string) => number
): ReadonlyArray<string> => {
  const names = candidates.filter((candidate) => matches(selection, candidate)).map(({ name }) => name)
  const most =
    selection.count ?? (selection.fraction === undefined ? names.length : Math.ceil(names.length * selection.fraction))
  const chosen = names.length <= most ? names : names.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, most)
  return chosen.toSorted(compareNames)
}
