import { memberOf } from "../memberOf.ts"
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../objects/Affinity.ts"
import type { Node } from "../objects/Node.ts"
import type { PodSpec } from "../objects/Pod.ts"
import { parseInt64 } from "../parseInt64.ts"
import {
  type Labels,
  makeSelector,
  matchesLabelSelector,
  type Requirement,
  type Selector,
  type SelectorOperator
} from "./Selector.ts"

/** A predicate over a node's labels and name. */
export type NodePredicate = (node: Pick<Node, "metadata">) => boolean

const matchesNoNode: NodePredicate = () => false
const matchesAnyNode: NodePredicate = () => true

const operators: Readonly<Record<string, SelectorOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt"
}

/** Converts a requirement. Returns undefined for an invalid one, whose term matches no node. */
const requirementOf = ({ key, operator, values = [] }: NodeSelectorRequirement): Requirement | undefined => {
  const known = operators[operator]
  if (known === undefined) return undefined
  if ((known === "in" || known === "notin") && values.length === 0) return undefined
  if (known === "gt" || known === "lt") {
    if (values.length !== 1 || parseInt64(values[0] ?? "") === undefined) return undefined
  }
  return { key, operator: known, values }
}

/** Converts a requirement on a field. Returns undefined unless it has the operator In or NotIn and exactly one value. */
const fieldRequirementOf = (requirement: NodeSelectorRequirement): Requirement | undefined => {
  const { operator, values = [] } = requirement
  return (operator === "In" || operator === "NotIn") && values.length === 1 ? requirementOf(requirement) : undefined
}

const selectorFor = (requirements: ReadonlyArray<Requirement | undefined>): Selector | undefined => {
  const known: Array<Requirement> = []
  for (const requirement of requirements) {
    if (requirement === undefined) return undefined
    known.push(requirement)
  }
  return makeSelector(known)
}

const nameField = "metadata.name"
const fieldsOf = (name: string): Labels => ({ [nameField]: name })

/** Returns the predicate of a term: all its requirements must match. A term without requirements matches no node. */
export const matchesTerm = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodePredicate => {
  if (matchExpressions.length === 0 && matchFields.length === 0) return matchesNoNode
  const labels = selectorFor(matchExpressions.map(requirementOf))
  const fields = selectorFor(matchFields.map(fieldRequirementOf))
  if (labels === undefined || fields === undefined) return matchesNoNode
  return ({ metadata }) =>
    matchesLabelSelector(labels, metadata.labels) &&
    (matchFields.length === 0 || matchesLabelSelector(fields, fieldsOf(metadata.name ?? "")))
}

type NodeRequirements = Pick<PodSpec, "affinity" | "nodeSelector">

const requiredTerms = ({ affinity }: NodeRequirements): ReadonlyArray<NodeSelectorTerm> | undefined =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms

/**
 * Returns the predicate of the pod's nodeSelector and its required node affinity: one of the affinity's terms must match,
 * so an affinity without terms matches no node. Returns undefined if the pod has neither. Upstream:
 * component-helpers/scheduling/corev1/nodeaffinity.
 */
export const requiredNodes = (spec: NodeRequirements): NodePredicate | undefined => {
  const labels = Object.entries(spec.nodeSelector ?? {})
  const affinity = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (labels.length === 0 && affinity === undefined) return undefined
  const terms = requiredTerms(spec)?.map(matchesTerm) ?? []
  const matchesTerms: NodePredicate =
    affinity === undefined ? matchesAnyNode : (node) => terms.some((matches) => matches(node))
  return (node) => {
    const found = node.metadata.labels
    for (const [key, value] of labels) if (memberOf(found, key) !== value) return false
    return matchesTerms(node)
  }
}

/**
 * Returns the names of the only possible nodes if every term requires a node name; the set is empty if the names
 * contradict each other. Returns undefined if a term does not require a name.
 */
export const pinnedNodes = (spec: NodeRequirements): ReadonlySet<string> | undefined => {
  const terms = requiredTerms(spec)
  if (terms === undefined || terms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const pins = matchFields.filter(({ key, operator }) => key === nameField && operator === "In")
    const [first, ...others] = pins.map(({ values }) => new Set(values))
    if (first === undefined) return undefined
    for (const name of first) if (others.every((other) => other.has(name))) names.add(name)
  }
  return names
}
