import {
  type DeleteOptions,
  foregroundFinalizer,
  type KubeObject,
  type OwnerReference,
  orphanFinalizer
} from "@rollcall/api"

/**
 * How an owner stands:
 * - `solid`: it is there
 * - `dangling`: there is no such object
 * - `waiting`: it is there and waits for its dependents to go
 */
export type Standing = "solid" | "dangling" | "waiting"

export interface Judged {
  readonly reference: OwnerReference
  readonly standing: Standing
}

export type RemovalPolicy = "Orphan" | "Foreground" | "Background"

/** What is to be done with an object for its owners' sake. */
export type Collection =
  | { readonly _tag: "Keep" }
  /** Some owner is there: the references to the others go, so that no owner waits for this object. */
  | { readonly _tag: "Unlink"; readonly uids: ReadonlyArray<string> }
  | {
      readonly _tag: "Delete"
      readonly policy: RemovalPolicy
      /** Its own references stop blocking first, because objects that wait for one another in a circle would wait for ever. */
      readonly unblock: boolean
    }

/**
 * Decides over an object that has owners, by how they stand at this moment.
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

/** Takes references out of an object, if it is still the same. */
export const unlinkPatch = (uid: string, owners: ReadonlyArray<string>) => ({
  metadata: { uid, ownerReferences: owners.map((owner) => ({ $patch: "delete", uid: owner })) }
})

/** As `unlinkPatch`, for kinds that know no strategic merge: the references that stay, if the object is as it was. */
export const unlinkMerge = ({ metadata }: KubeObject, owners: ReadonlyArray<string>) => {
  const { ownerReferences = [], resourceVersion, uid } = metadata
  const gone = new Set(owners)
  return {
    metadata: { uid, resourceVersion, ownerReferences: ownerReferences.filter((each) => !gone.has(each.uid)) }
  }
}

/** As `unblockPatch`, for kinds that know no strategic merge. */
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
 * By which the garbage collector deletes an object: first only as it was seen, then, where its owners are the same, as it is by now. Never
 * another object that has taken its name. Upstream: pkg/controller/garbagecollector/operations.go deleteObject.
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
