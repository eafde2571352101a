import {
  type DeleteOptions,
  foregroundFinalizer,
  type KubeObject,
  type OwnerReference,
  orphanFinalizer
} from "@rollcall/api"

/**
 * The state of an owner:
 * - `solid`: it exists
 * - `dangling`: it does not exist
 * - `waiting`: it exists and waits for its dependents' deletion
 */
export type Standing = "solid" | "dangling" | "waiting"

export interface Judged {
  readonly reference: OwnerReference
  readonly standing: Standing
}

export type RemovalPolicy = "Orphan" | "Foreground" | "Background"

/** What to do with an object because of its owners. */
export type Collection =
  | { readonly _tag: "Keep" }
  /** Some owner exists: remove the references to the others, so that no owner waits for this object. */
  | { readonly _tag: "Unlink"; readonly uids: ReadonlyArray<string> }
  | {
      readonly _tag: "Delete"
      readonly policy: RemovalPolicy
      /**
       * First make its own references non-blocking, because objects that block each other in a circle would wait
       * forever.
       */
      readonly unblock: boolean
    }

/**
 * Decides about an object with owners, from the owners' current states.
 * Upstream: pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem).
 */
export const decideCollection = (
  { metadata: { finalizers = [] } }: KubeObject,
  owners: ReadonlyArray<Judged>,
  dependents: { readonly any: boolean; readonly anyWaiting: boolean }
): Collection => {
  if (owners.length === 0) return { _tag: "Keep" }
  const lost = owners.filter(({ standing }) => standing !== "solid")
  if (lost.length < owners.length) {
    return lost.length === 0 ? { _tag: "Keep" } : { _tag: "Unlink", uids: lost.map(({ reference }) => reference.uid) }
  }
  if (dependents.any && owners.some(({ standing }) => standing === "waiting")) {
    return { _tag: "Delete", policy: "Foreground", unblock: dependents.anyWaiting }
  }
  const policy = finalizers.includes(orphanFinalizer)
    ? "Orphan"
    : finalizers.includes(foregroundFinalizer)
      ? "Foreground"
      : "Background"
  return { _tag: "Delete", policy, unblock: false }
}

/** Removes references from an object, with its uid as precondition. */
export const unlinkPatch = (uid: string, owners: ReadonlyArray<string>) => ({
  metadata: { uid, ownerReferences: owners.map((owner) => ({ $patch: "delete", uid: owner })) }
})

/**
 * As `unlinkPatch`, for kinds without strategic merge: the remaining references, with the resourceVersion as
 * precondition.
 */
export const unlinkMerge = ({ metadata }: KubeObject, owners: ReadonlyArray<string>) => {
  const { ownerReferences = [], resourceVersion, uid } = metadata
  const gone = new Set(owners)
  return {
    metadata: { uid, resourceVersion, ownerReferences: ownerReferences.filter((each) => !gone.has(each.uid)) }
  }
}

/** As `unblockPatch`, for kinds without strategic merge. */
export const unblockMerge = ({ metadata: { ownerReferences = [], resourceVersion, uid } }: KubeObject) => ({
  metadata: {
    uid,
    resourceVersion,
    ownerReferences: ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false }))
  }
})

/** Makes references non-blocking. */
export const unblockPatch = ({ metadata: { ownerReferences = [], uid } }: KubeObject) => ({
  metadata: {
    uid,
    ownerReferences: ownerReferences
      .filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
      .map((reference) => ({ uid: reference.uid, blockOwnerDeletion: false }))
  }
})

/**
 * The options with which the garbage collector deletes an object: first only the version that was seen, then, if its
 * owners are unchanged, any version. The uid precondition protects a new object with the same name.
 * Upstream: pkg/controller/garbagecollector/operations.go deleteObject.
 */
export const removalOptions = (
  uid: string,
  { metadata: { resourceVersion } }: KubeObject,
  policy: RemovalPolicy
): { readonly asSeen: DeleteOptions; readonly asIs: DeleteOptions } => {
  const asIs: DeleteOptions = { propagationPolicy: policy, preconditions: { uid } }
  if (resourceVersion === undefined) return { asSeen: asIs, asIs }
  return { asSeen: { ...asIs, preconditions: { uid, resourceVersion } }, asIs }
}
