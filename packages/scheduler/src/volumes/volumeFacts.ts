import { matchesTerm, type Node, type NodePredicate, type PersistentVolume, value } from "@rollcall/api"

/** A label of which a node must have one of these values, to reach a volume. */
interface Pin {
  readonly label: string
  readonly values: ReadonlySet<string>
}

/** Derived values of a volume, computed once for each version of it. */
export interface VolumeFacts {
  /** Bytes. */
  readonly size: number
  readonly reaches: NodePredicate
  /** Undefined when the accessible nodes are not determined by a single label. */
  readonly pin: Pin | undefined
}

const hostname = "kubernetes.io/hostname"
const everywhere: NodePredicate = () => true

type Terms = NonNullable<
  NonNullable<NonNullable<PersistentVolume["spec"]>["nodeAffinity"]>["required"]
>["nodeSelectorTerms"]

/** Each term must restrict the label to values. */
const pinOf = (terms: Terms): Pin | undefined => {
  const valuesOf = (term: Terms[number], label: string) =>
    term.matchExpressions?.find(({ key, operator }) => key === label && operator === "In")?.values
  const labels = terms[0]?.matchExpressions?.flatMap(({ key, operator }) => (operator === "In" ? [key] : [])) ?? []
  const shared = labels.filter((label) => terms.every((term) => valuesOf(term, label) !== undefined))
  const label = shared.includes(hostname) ? hostname : shared[0]
  if (label === undefined) return undefined
  return { label, values: new Set(terms.flatMap((term) => valuesOf(term, label) ?? [])) }
}

const work = ({ spec }: PersistentVolume): VolumeFacts => {
  const size = value(spec?.capacity?.storage ?? 0)
  const required = spec?.nodeAffinity?.required
  if (required === undefined) return { size, reaches: everywhere, pin: undefined }
  const terms = required.nodeSelectorTerms.map(matchesTerm)
  const reaches = (node: Pick<Node, "metadata">) => terms.some((matches) => matches(node))
  return { size, reaches, pin: pinOf(required.nodeSelectorTerms) }
}

/** Objects are immutable, so derived values stay valid as long as the object lives. */
const known = new WeakMap<PersistentVolume, VolumeFacts>()

export const factsOf = (volume: PersistentVolume): VolumeFacts => {
  const found = known.get(volume)
  if (found !== undefined) return found
  const facts = work(volume)
  known.set(volume, facts)
  return facts
}
