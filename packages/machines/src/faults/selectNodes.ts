import { matchesLabelSelector, type Node, selectNothing } from "@rollcall/api"
import { readSelector } from "@rollcall/input"
import * as Result from "effect/Result"
import type { NodeSelection } from "../groups/NodeGroup.ts"

/** A machine whose node can be selected. */
export interface Candidate {
  readonly name: string
  readonly group: string | undefined
  /** Its Node, whose labels count; undefined while it is not registered. */
  readonly node: Node | undefined
}

const digitsOrText = /(\d+)|(\D+)/g

/** Compares names so that numbers in them count as numbers: `a-2` is before `a-10`. */
export const compareNames = (left: string, right: string): number => {
  const leftParts = left.match(digitsOrText) ?? []
  const rightParts = right.match(digitsOrText) ?? []
  for (let index = 0; index < Math.min(leftParts.length, rightParts.length); index++) {
    const [a = "", b = ""] = [leftParts[index], rightParts[index]]
    if (a === b) continue
    const difference = Number(a) - Number(b)
    return Number.isNaN(difference) || difference === 0 ? (a < b ? -1 : 1) : difference
  }
  return leftParts.length - rightParts.length
}

/** Returns the zone in a node's labels, or an empty text. */
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
 * Returns the names of the nodes that meet all given criteria, sorted. With `fraction` (rounded up) or `count` it
 * returns only that many: those with the lowest `rankOf`.
 */
export const selectNodes = (
  selection: NodeSelection,
  candidates: ReadonlyArray<Candidate>,
  rankOf: (name: string) => number
): ReadonlyArray<string> => {
  const names = candidates.filter((candidate) => matches(selection, candidate)).map(({ name }) => name)
  const limit =
    selection.count ?? (selection.fraction === undefined ? names.length : Math.ceil(names.length * selection.fraction))
  const chosen = names.length <= limit ? names : names.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, limit)
  return chosen.toSorted(compareNames)
}
