import * as Result from "effect/Result"
import { getControllerOf, keyOf } from "./Owner.ts"
import type { Pod } from "./objects/Pod.ts"
import type { ResourceClaim } from "./objects/ResourceClaim.ts"

/** Upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim. */

/** The name under which a pod uses a claim, and where it comes from. */
export type PodClaim = NonNullable<Pod["spec"]["resourceClaims"]>[number]

/** The claim that a pod uses; no name if it needs none. A generated one must belong to the pod. */
export interface ClaimName {
  readonly name: string | undefined
  readonly isGenerated: boolean
}

export const claimsOf = ({ spec }: Pod): ReadonlyArray<PodClaim> => spec.resourceClaims ?? []

/** Returns the claim's name; undefined if the claim has not been created yet, and an error if nothing says which it is. */
export const claimNameOf = (pod: Pod, claim: PodClaim): Result.Result<ClaimName | undefined, string> => {
  if (claim.resourceClaimName !== undefined)
    return Result.succeed({ name: claim.resourceClaimName, isGenerated: false })
  if (claim.resourceClaimTemplateName === undefined) {
    const where = `pod ${JSON.stringify(keyOf(pod))}, spec.resourceClaim ${JSON.stringify(claim.name)}`
    return Result.fail(`${where}: none of the supported fields are set`)
  }
  const status = pod.status?.resourceClaimStatuses?.find(({ name }) => name === claim.name)
  return Result.succeed(status && { name: status.resourceClaimName, isGenerated: true })
}

/** Returns why a generated claim is not this pod's, or undefined. */
export const foreignClaim = (pod: Pod, claim: ResourceClaim): string | undefined =>
  getControllerOf(claim)?.uid === pod.metadata.uid
    ? undefined
    : `ResourceClaim ${keyOf(claim)} was not created for Pod ${keyOf(pod)} (Pod is not owner)`

/** A claim of a pod, by its name in the pod. */
export interface UsedClaim {
  readonly podClaim: string
  readonly claim: ResourceClaim
}

/**
 * Returns the claims of a pod in order, without those that need none; or the message of the first that does not exist, is not
 * the pod's, or is being deleted. `find` returns the claim of the pod's namespace, or why there is none.
 */
export const usedClaims = (
  pod: Pod,
  find: (name: string) => ResourceClaim | string
): Result.Result<ReadonlyArray<UsedClaim>, string> => {
  const used: Array<UsedClaim> = []
  for (const podClaim of claimsOf(pod)) {
    const named = claimNameOf(pod, podClaim)
    if (Result.isFailure(named)) return Result.fail(named.failure)
    if (named.success === undefined) {
      return Result.fail(`pod ${JSON.stringify(keyOf(pod))}: ResourceClaim not created yet`)
    }
    const { isGenerated, name } = named.success
    if (name === undefined) continue
    const claim = find(name)
    if (typeof claim === "string") return Result.fail(claim)
    if (claim.metadata.deletionTimestamp !== undefined) {
      return Result.fail(`resourceclaim ${JSON.stringify(name)} is being deleted`)
    }
    const foreign = isGenerated ? foreignClaim(pod, claim) : undefined
    if (foreign !== undefined) return Result.fail(foreign)
    used.push({ podClaim: podClaim.name, claim })
  }
  return Result.succeed(used)
}
