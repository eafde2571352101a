import {
  claimNameOf,
  claimsOf,
  controllerReference,
  foreignClaim,
  getControllerOf,
  isPodTerminal,
  type Pod,
  type PodClaim,
  type ResourceClaim,
  type ResourceClaimTemplate
} from "@rollcall/api"
import * as Result from "effect/Result"

/** Upstream: pkg/controller/resourceclaim; staging/src/k8s.io/dynamic-resource-allocation/resourceclaim. */

export type Consumer = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>[number]

export const FINALIZER = "resource.kubernetes.io/delete-protection"
export const CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"
export const EXTENDED_CLAIM = "resource.kubernetes.io/extended-resource-claim"

/** The most consumers of one claim. */
const MAX_CONSUMERS = 256

/** Whether the pod will not run, or has ended. */
export const isPodDone = (pod: Pod): boolean =>
  isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && (pod.spec.nodeName ?? "") === "")

const consumersOf = ({ status }: ResourceClaim): ReadonlyArray<Consumer> => status?.reservedFor ?? []

/** Whether a scheduled pod still has to be entered as a consumer of an allocated claim. */
export const needsReservation = (pod: Pod, claim: ResourceClaim): boolean =>
  (pod.spec.nodeName ?? "") !== "" &&
  claim.status?.allocation !== undefined &&
  !consumersOf(claim).some(({ uid }) => uid === pod.metadata.uid) &&
  consumersOf(claim).length < MAX_CONSUMERS

/** Returns the claim with the pod among its consumers. */
export const reservedFor = (pod: Pod, claim: ResourceClaim): ResourceClaim => {
  const { name = "", uid = "" } = pod.metadata
  const consumers = [...consumersOf(claim), { resource: "pods", name, uid }]
  return { ...claim, status: { ...claim.status, reservedFor: consumers } }
}

/**
 * Whether there is work for a pod: a claim to create, or to reserve. For a pod that has ended nothing is created: its
 * claim would be deleted at once, and so on. Upstream: podNeedsWork.
 */
export const podNeedsWork = (pod: Pod, find: (name: string) => ResourceClaim | undefined): boolean => {
  if (pod.metadata.deletionTimestamp !== undefined || isPodDone(pod)) return false
  return claimsOf(pod).some((podClaim) => {
    const named = claimNameOf(pod, podClaim)
    if (Result.isFailure(named) || named.success === undefined) return true
    const { isGenerated, name } = named.success
    if (name === undefined) return false
    const claim = find(name)
    if (claim === undefined) return podClaim.resourceClaimTemplateName !== undefined
    return !(isGenerated && foreignClaim(pod, claim) !== undefined) && needsReservation(pod, claim)
  })
}

/** The names of the claims that a pod holds no longer, for which each claim is to be checked. */
export const claimsToRelease = (pod: Pod, isDeleted: boolean): ReadonlyArray<string> => {
  if (!isDeleted && !isPodDone(pod)) return []
  const named = claimsOf(pod).flatMap((podClaim) => {
    const name = claimNameOf(pod, podClaim)
    return Result.isSuccess(name) && name.success?.name !== undefined ? [name.success.name] : []
  })
  const { resourceClaimName: extended } = (pod.status?.extendedResourceClaimStatus ?? {}) as {
    readonly resourceClaimName?: string
  }
  return extended === undefined ? named : [...named, extended]
}

/** The longest base of a generated name: a name has at most 63 characters, five of them random. */
const MAX_BASE = 57

const baseName = (pod: string, claim: string): string => {
  const base = `${pod}-${claim}-`
  if (base.length <= MAX_BASE) return base
  const shortPod = pod.slice(0, Math.floor((pod.length * MAX_BASE) / base.length))
  return `${shortPod}-${claim.slice(0, Math.floor((claim.length * MAX_BASE) / base.length))}`
}

/** The claim that a template makes for a pod. */
export const newClaim = (pod: Pod, podClaim: PodClaim, { spec }: ResourceClaimTemplate): ResourceClaim => {
  const { annotations = {}, labels } = spec.metadata ?? {}
  const { blockOwnerDeletion: _, ...owner } = controllerReference({ ...pod, apiVersion: "v1", kind: "Pod" })
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      generateName: baseName(pod.metadata.name ?? "", podClaim.name),
      namespace: pod.metadata.namespace ?? "",
      ownerReferences: [owner],
      annotations: { ...annotations, [CLAIM_NAME]: podClaim.name },
      ...(labels === undefined ? {} : { labels })
    },
    spec: spec.spec
  }
}

/** The claim that was generated for this claim of the pod, if the claim's owner is the pod. */
export const isGeneratedFor = (pod: Pod, podClaim: PodClaim, claim: ResourceClaim): boolean =>
  getControllerOf(claim)?.uid === pod.metadata.uid && claim.metadata.annotations?.[CLAIM_NAME] === podClaim.name

/** The pod that controls a claim. */
export const owningPod = (claim: ResourceClaim): { readonly name: string; readonly uid: string } | undefined => {
  const owner = getControllerOf(claim)
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined
}
