import { claimNameOf, claimsOf, foreignClaim, keyOf, type Pod, type ResourceClaim } from "@rollcall/api"
import * as Result from "effect/Result"

/** Whether a pod uses claims: all that a kubelet asks of most pods. */
export const usesClaims = ({ spec, status }: Pod): boolean =>
  (spec.resourceClaims !== undefined && spec.resourceClaims.length > 0) ||
  status?.extendedResourceClaimStatus !== undefined

/** The claim that the scheduler made for the pod's extended resources. */
const extendedClaimOf = ({ status }: Pod): string | undefined =>
  (status?.extendedResourceClaimStatus as { readonly resourceClaimName?: string } | undefined)?.resourceClaimName

/** The names of the drivers of a claim's devices. */
export const driversOf = ({ status }: ResourceClaim): ReadonlyArray<string> => [
  ...new Set(status?.allocation?.devices?.results?.map(({ driver }) => driver))
]

/** Why a pod must not use a claim; undefined if it may. Upstream: prepareResources of pkg/kubelet/cm/dra/manager.go. */
export const refusalOf = (pod: Pod, claim: ResourceClaim, isGenerated: boolean): string | undefined => {
  const foreign = isGenerated ? foreignClaim(pod, claim) : undefined
  if (foreign !== undefined) return foreign
  const { name, uid } = claim.metadata
  if (claim.status?.reservedFor?.some((consumer) => consumer.uid === pod.metadata.uid) !== true) {
    return `pod ${pod.metadata.name} (${pod.metadata.uid}) is not allowed to use ResourceClaim ${name} (${uid})`
  }
  return claim.status.allocation === undefined ? `ResourceClaim ${name}: not allocated` : undefined
}

/** A claim of a pod: see `ClaimName`. */
interface NamedClaim {
  readonly name: string
  readonly isGenerated: boolean
}

/** The names of the claims that a pod needs; or why they are not known. */
export const claimNames = (pod: Pod): ReadonlyArray<NamedClaim> | string => {
  const names: Array<NamedClaim> = []
  for (const podClaim of claimsOf(pod)) {
    const named = claimNameOf(pod, podClaim)
    if (Result.isFailure(named)) return named.failure
    if (named.success === undefined) return `pod ${JSON.stringify(keyOf(pod))}: ResourceClaim not created yet`
    const { isGenerated, name } = named.success
    if (name !== undefined) names.push({ name, isGenerated })
  }
  const extended = extendedClaimOf(pod)
  return extended === undefined ? names : [...names, { name: extended, isGenerated: false }]
}

export const notRegistered = (driver: string): string => `DRA driver ${driver} is not registered`
