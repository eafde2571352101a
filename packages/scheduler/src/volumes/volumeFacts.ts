import { matchesTerm, type Node, type NodePredicate, type PersistentVolume, value } from "@rollcall/api"

/** A label that a node must have one of some values of, to reach a volume. */
interface Pin {
  readonly label: string
  readonly values: ReadonlySet<string>
}

/** What scheduling asks about a volume, worked out once for each form of it. */
export interface VolumeFacts {
  /** Bytes. */
  readonly size: number
  readonly reaches: NodePredicate
  /** Undefined when no one label says where it can be reached from. */
  readonly pin: Pin | undefined
}

const hostname = "kubernetes.io/hostname"
const everywhere: NodePredicate = () => true

type Terms = NonNullable<
  NonNullable<NonNullable<PersistentVolume["spec"]>["nodeAffinity"]>["required"]
>["nodeSelectorTerms"]

/** Each term must name values of the label. */
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

/** Objects are immutable, so what was worked out of one stays true as long as the object lives. */
const known = new WeakMap<PersistentVolume, VolumeFacts>()

export const factsOf = (volume: PersistentVolume): VolumeFacts => {
  const found = known.get(volume)
  if (found !== undefined) return found
  const facts = work(volume)
  known.set(volume, facts)
  return facts
}
