import { FNV_OFFSET, FNV_PRIME } from "@rollcall/time"

/** FNV-1, 32 bits. Names of claims are ASCII. */
const fnv1 = (text: string): number => {
  let hash = FNV_OFFSET
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash, FNV_PRIME) ^ text.charCodeAt(at)
  return hash >>> 0
}

const ORDINAL = /^\d+$/

/**
 * Which of so many places a claim's volume goes to: the claims of a StatefulSet's ordinals to one after the other, and those of one
 * ordinal, `data-db-2` and `log-db-2`, to the same. Upstream: external-provisioner pkg/controller/topology.go
 * getPVCNameHashAndIndexOffset.
 */
export const placeOf = (claim: string, places: number): number => {
  const dash = claim.lastIndexOf("-")
  const ordinal = claim.slice(dash + 1)
  if (dash === -1 || !ORDINAL.test(ordinal) || Number(ordinal) > 0xffffffff) return fnv1(claim) % places
  const before = claim.slice(0, dash)
  return ((fnv1(before.slice(before.lastIndexOf("-") + 1)) + Number(ordinal)) >>> 0) % places
}
