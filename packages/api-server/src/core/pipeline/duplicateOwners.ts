import type { KubeObject, OwnerReference } from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import type { Exchange } from "./Exchange.ts"

const reasons = {
  received: "contains duplicate entries",
  admitted: "contains duplicate entries after mutating admission happens"
} as const

/**
 * Returns the object with each owner once, and warns of those that occurred more often. `phase` says whether admission
 * has changed the object. Upstream: apiserver/pkg/endpoints/handlers/rest.go, dedupOwnerReferencesAndAddWarning.
 */
export const withoutDuplicateOwners = (
  exchange: Exchange,
  object: KubeObject,
  phase: keyof typeof reasons
): KubeObject => {
  const owners = object.metadata.ownerReferences
  if (owners === undefined || owners.length < 2) return object
  const byUid = new Map<string, Array<OwnerReference>>()
  const kept: Array<OwnerReference> = []
  const duplicates: Array<string> = []
  for (const owner of owners) {
    const known = byUid.get(owner.uid ?? "")
    if (known?.some((other) => sameValue(other, owner))) {
      duplicates.push(owner.uid ?? "")
      continue
    }
    if (known === undefined) byUid.set(owner.uid ?? "", [owner])
    else known.push(owner)
    kept.push(owner)
  }
  if (duplicates.length === 0) return object
  exchange.warn(
    `.metadata.ownerReferences ${reasons[phase]}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`
  )
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } }
}
