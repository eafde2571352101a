import { matchesTerm, type Node, type NodePredicate, type PersistentVolume, value } from "@rollcall/api"

/** A label that a node must have, with one of these values, in order to access a volume. */
interface RequiredLabel {
  readonly label: string
  readonly values: ReadonlySet<string>
}

/** Derived values of a volume, computed once for each version of the object. */
export interface VolumeFacts {
  /** Bytes. */
  readonly size: number
  /** Whether the volume is accessible from a node, by `spec.nodeAffinity`. */
  readonly nodeAffinityMatches: NodePredicate
  /** Undefined if no single label restricts the nodes that can access the volume. */
  readonly requiredLabel: RequiredLabel | undefined
}

const hostname = "kubernetes.io/hostname"
const matchesEveryNode: NodePredicate = () => true

type Terms = NonNullable<
  NonNullable<NonNullable<PersistentVolume["spec"]>["nodeAffinity"]>["required"]
>["nodeSelectorTerms"]

/** A label that every term restricts to values; kubernetes.io/hostname is preferred, since it selects the fewest nodes. */
const requiredLabelOf = (terms: Terms): RequiredLabel | undefined => {
  const valuesOf = (term: Terms[number], label: string) =>
    term.matchExpressions?.find(({ key, operator }) => key === label && operator === "In")?.values
  const labels = terms[0]?.matchExpressions?.flatMap(({ key, operator }) => (operator === "In" ? [key] : [])) ?? []
  const shared = labels.filter((label) => terms.every((term) => valuesOf(term, label) !== undefined))
  const label = shared.includes(hostname) ? hostname : shared[0]
  if (label === undefined) return undefined
  return { label, values: new Set(terms.flatMap((term) => valuesOf(term, label) ?? [])) }
}

const computeFacts = ({ spec }: PersistentVolume): VolumeFacts => {
  const size = value(spec?.capacity?.storage ?? 0)
  const required = spec?.nodeAffinity?.required
  if (required === undefined) return { size, nodeAffinityMatches: matchesEveryNode, requiredLabel: undefined }
  const terms = required.nodeSelectorTerms.map(matchesTerm)
  const nodeAffinityMatches = (node: Pick<Node, "metadata">) => terms.some((matches) => matches(node))
  return { size, nodeAffinityMatches, requiredLabel: requiredLabelOf(required.nodeSelectorTerms) }
}

/** Objects are immutable, so derived values stay valid as long as the object lives. */
const factsByVolume = new WeakMap<PersistentVolume, VolumeFacts>()

export const factsOf = (volume: PersistentVolume): VolumeFacts => {
  const known = factsByVolume.get(volume)
  if (known !== undefined) return known
  const facts = computeFacts(volume)
  factsByVolume.set(volume, facts)
  return facts
}
