import type { ReplicaSet } from "@rollcall/api"
import { byAge } from "./rollout.ts"

export const annotationRevision = "deployment.kubernetes.io/revision"

/** Returns the 64-bit integer of a text, or undefined if it has none. Upstream: strconv.ParseInt. */
const parseInteger = (text: string): bigint | undefined => {
  if (!/^[+-]?\d{1,400}$/.test(text)) return undefined
  const integer = BigInt(text.startsWith("+") ? text.slice(1) : text)
  return BigInt.asIntN(64, integer) === integer ? integer : undefined
}

/** The number in the revision annotation: 0 if it is absent, undefined if it is no number. */
export const revisionOf = ({ metadata }: Pick<ReplicaSet, "metadata">): bigint | undefined =>
  parseInteger(metadata.annotations?.[annotationRevision] ?? "0")

/** The revision of the newest set: one more than the maximum of the old ones. */
export const newestRevision = (old: ReadonlyArray<ReplicaSet>): bigint => {
  let highest = 0n
  for (const replicaSet of old) {
    const revision = revisionOf(replicaSet) ?? 0n
    if (revision > highest) highest = revision
  }
  return BigInt.asIntN(64, highest + 1n)
}

/** Sorts the lowest revision first, and by age where that does not decide. Upstream: ReplicaSetsByRevision. */
export const byRevision = (left: ReplicaSet, right: ReplicaSet): number => {
  const [a, b] = [revisionOf(left), revisionOf(right)]
  if (a === undefined || b === undefined || a === b) return byAge(left, right)
  return a < b ? -1 : 1
}
