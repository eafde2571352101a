import {
  controllerReference,
  type KubeObject,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet
} from "@rollcall/api"
import { isInRange } from "./statefulPods.ts"

/** `Retain` or `Delete`. */
interface Retention {
  readonly whenDeleted: string
  readonly whenScaled: string
}

/** What happens to claims when the set is deleted, and when it is scaled down; by default they stay. */
export const retentionOf = ({ spec }: StatefulSet): Retention => ({
  whenDeleted: spec.persistentVolumeClaimRetentionPolicy?.whenDeleted ?? "Retain",
  whenScaled: spec.persistentVolumeClaimRetentionPolicy?.whenScaled ?? "Retain"
})

const refsOf = ({ metadata }: PersistentVolumeClaim): ReadonlyArray<OwnerReference> => metadata.ownerReferences ?? []

/** Whether a reference names the object, or an earlier one with the same name. */
const names = (ref: OwnerReference, { apiVersion, kind, metadata }: KubeObject): boolean =>
  ref.apiVersion === apiVersion && ref.kind === kind && ref.name === metadata.name

const isOwnedBy = (claim: PersistentVolumeClaim, { metadata }: KubeObject): boolean =>
  metadata.uid !== undefined && refsOf(claim).some(({ uid }) => uid === metadata.uid)

/** Whether the claim names an owner of the same name, but with another UID. */
const isStale = (claim: PersistentVolumeClaim, owner: KubeObject): boolean => {
  const ref = refsOf(claim).find((other) => names(other, owner))
  return ref !== undefined && ref.uid !== (owner.metadata.uid ?? "")
}

/**
 * Whether a claim is owned by a deleted pod with the same name: it will be deleted as well, so no pod may use it.
 * Upstream: stateful_pod_control.go PodClaimIsStale.
 */
export const isOfDeletedPod = (set: StatefulSet, claim: PersistentVolumeClaim, pod: Pod): boolean =>
  retentionOf(set).whenScaled === "Delete" && isStale(claim, pod)

/**
 * Whether another controller manages the claim, if the set's policy requires owner references.
 * Upstream: hasUnexpectedController.
 */
export const hasOtherController = (set: StatefulSet, claim: PersistentVolumeClaim, pod: Pod): boolean => {
  const { whenDeleted, whenScaled } = retentionOf(set)
  if (whenDeleted !== "Delete" && whenScaled !== "Delete") return false
  return refsOf(claim).some((ref) => {
    const owner = [set, pod].find((candidate) => names(ref, candidate))
    return owner === undefined ? ref.controller === true : ref.uid !== owner.metadata.uid
  })
}

/**
 * The owners that a claim should have by the policy. With whenScaled Delete, a pod that is scaled down owns its claims;
 * with whenDeleted Delete, the set owns all others.
 */
const ownersOf = (set: StatefulSet, pod: Pod): ReadonlyArray<KubeObject> => {
  const { whenDeleted, whenScaled } = retentionOf(set)
  const isScaledDown = whenScaled === "Delete" && !isInRange(set, pod)
  return [...(whenDeleted === "Delete" && !isScaledDown ? [set] : []), ...(isScaledDown ? [pod] : [])]
}

/**
 * The owner references that a claim must get by the set's policy; undefined if it has them, or must not be changed.
 * Upstream: stateful_set_utils.go isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod.
 */
export const neededOwners = (
  set: StatefulSet,
  claim: PersistentVolumeClaim,
  pod: Pod
): ReadonlyArray<OwnerReference> | undefined => {
  if (isStale(claim, set) || isStale(claim, pod)) return undefined
  const others = refsOf(claim).filter((ref) => !names(ref, set) && !names(ref, pod))
  if (hasOtherController(set, claim, pod)) {
    return isOwnedBy(claim, set) || isOwnedBy(claim, pod) ? others : undefined
  }
  const owners = ownersOf(set, pod)
  const isNoOwner = (owner: KubeObject) => !owners.includes(owner)
  const needsChange =
    [set, pod].some((owner) => isOwnedBy(claim, owner) === isNoOwner(owner)) ||
    refsOf(claim).some(({ controller, uid }) => (uid === set.metadata.uid || uid === pod.metadata.uid) && !controller)
  return needsChange ? [...others, ...owners.map(controllerReference)] : undefined
}
