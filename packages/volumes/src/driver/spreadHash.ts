import { FNV_OFFSET, FNV_PRIME } from "@rollcall/time"

/** FNV-1, 32 bits. Names of claims are ASCII. */
const fnv1 = (text: string): number => {
  let hash = FNV_OFFSET
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash, FNV_PRIME) ^ text.charCodeAt(at)
  return hash >>> 0
}

const ORDINAL = /^\d+$/

/**
 * The index of the zone for a claim's volume: claims of successive StatefulSet ordinals get successive zones, and
 * those of one ordinal, `data-db-2` and `log-db-2`, the same. Upstream: external-provisioner
 * pkg/controller/topology.go getPVCNameHashAndIndexOffset.
 */
export const zoneIndexOf = (claim: string, zoneCount: number): number => {
  const dash = claim.lastIndexOf("-")
  const ordinal = claim.slice(dash + 1)
  if (dash === -1 || !ORDINAL.test(ordinal) || Number(ordinal) > 0xffffffff) return fnv1(claim) % zoneCount
  const before = claim.slice(0, dash)
  return ((fnv1(before.slice(before.lastIndexOf("-") + 1)) + Number(ordinal)) >>> 0) % zoneCount
}
