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
export type OwnerState = "solid" | "dangling" | "waiting"

/** An owner reference and the state of its owner. */
export interface OwnerWithState {
  readonly reference: OwnerReference
  readonly state: OwnerState
}

/** The propagationPolicy of a deletion. */
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
 * Decides what to do with an object, from its owners' current states and from its own dependents: whether it has any,
 * and whether any of them waits for its own dependents.
 * Upstream: pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem).
 */
export const decideCollection = (
  { metadata: { finalizers = [] } }: KubeObject,
  owners: ReadonlyArray<OwnerWithState>,
  dependents: { readonly any: boolean; readonly anyWaiting: boolean }
): Collection => {
  if (owners.length === 0) return { _tag: "Keep" }
  const lost = owners.filter(({ state }) => state !== "solid")
  if (lost.length < owners.length) {
    return lost.length === 0 ? { _tag: "Keep" } : { _tag: "Unlink", uids: lost.map(({ reference }) => reference.uid) }
  }
  if (dependents.any && owners.some(({ state }) => state === "waiting")) {
    return { _tag: "Delete", policy: "Foreground", unblock: dependents.anyWaiting }
  }
  const policy = finalizers.includes(orphanFinalizer)
    ? "Orphan"
    : finalizers.includes(foregroundFinalizer)
      ? "Foreground"
      : "Background"
  return { _tag: "Delete", policy, unblock: false }
}

/** A strategic merge patch that removes references to these owners, by UID, with the object's UID as precondition. */
export const unlinkPatch = (uid: string, owners: ReadonlyArray<string>) => ({
  metadata: { uid, ownerReferences: owners.map((owner) => ({ $patch: "delete", uid: owner })) }
})

/**
 * A JSON merge patch that removes references to these owners, for custom kinds, which have no strategic merge. It
 * replaces the whole list, so the resourceVersion is a precondition.
 */
export const unlinkMerge = ({ metadata }: KubeObject, owners: ReadonlyArray<string>) => {
  const { ownerReferences = [], resourceVersion, uid } = metadata
  const removed = new Set(owners)
  return {
    metadata: { uid, resourceVersion, ownerReferences: ownerReferences.filter((each) => !removed.has(each.uid)) }
  }
}

/** A JSON merge patch that makes all references non-blocking, for custom kinds, which have no strategic merge. */
export const unblockMerge = ({ metadata: { ownerReferences = [], resourceVersion, uid } }: KubeObject) => ({
  metadata: {
    uid,
    resourceVersion,
    ownerReferences: ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false }))
  }
})

/** A strategic merge patch that makes the blocking references non-blocking. */
export const unblockPatch = ({ metadata: { ownerReferences = [], uid } }: KubeObject) => ({
  metadata: {
    uid,
    ownerReferences: ownerReferences
      .filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
      .map((reference) => ({ uid: reference.uid, blockOwnerDeletion: false }))
  }
})

/**
 * The options with which the garbage collector deletes an object: first those that delete only the version that was
 * seen, then, for the case that its owners are unchanged, those that delete any version. The uid precondition protects
 * a new object with the same name. Upstream: pkg/controller/garbagecollector/operations.go deleteObject.
 */
export const removalOptions = (
  uid: string,
  { metadata: { resourceVersion } }: KubeObject,
  policy: RemovalPolicy
): { readonly seenVersion: DeleteOptions; readonly anyVersion: DeleteOptions } => {
  const anyVersion: DeleteOptions = { propagationPolicy: policy, preconditions: { uid } }
  if (resourceVersion === undefined) return { seenVersion: anyVersion, anyVersion }
  return { seenVersion: { ...anyVersion, preconditions: { uid, resourceVersion } }, anyVersion }
}
