import { controllerReference, getControllerOf, type KubeObject, type Pod, type ReplicaSet } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { mayAdopt } from "./mayAdopt.ts"

/** The value of the index `orphans`: the namespace of an object without a controller. */
export const orphanIn = (object: Pick<KubeObject, "metadata">): string | undefined =>
  getControllerOf(object) === undefined ? object.metadata.namespace : undefined

/** The objects that an owner may claim, and its selector. */
export interface Claim<A> {
  readonly owner: KubeObject
  /** Objects whose controller is the owner. */
  readonly owned: ReadonlyArray<A>
  /** Objects of its namespace without a controller. */
  readonly orphans: ReadonlyArray<A>
  /** Whether the owner selects the object. */
  readonly belongs: (object: A) => boolean
  /** A finalizer added on adoption and removed on release. */
  readonly finalizer?: string
}

/** Patches metadata, with the object's UID as precondition; an object that no longer exists is no error. */
const patchMetadata = (
  cluster: ClusterShape,
  kind: "Pod" | "ReplicaSet",
  { metadata }: Pick<KubeObject, "metadata">,
  fields: object
): Effect.Effect<void, ClusterError> => {
  const { name = "", namespace, uid } = metadata
  return cluster.patch(kind, { namespace, name }, "strategic", { metadata: { ...fields, uid } }).pipe(
    Effect.catchIf(isNotFound, () => Effect.void),
    Effect.asVoid
  )
}

/**
 * Returns the objects of an owner: those that it controls and selects, and orphans that it selects, which it adopts. It
 * releases those that it controls but no longer selects. A terminating owner neither adopts nor releases.
 * Upstream: pkg/controller/controller_ref_manager.go ClaimPods, ClaimReplicaSets.
 */
const claimObjects = <A extends Pod | ReplicaSet>(
  cluster: ClusterShape,
  kind: "Pod" | "ReplicaSet",
  { belongs, finalizer, orphans, owned, owner }: Claim<A>
): Effect.Effect<ReadonlyArray<A>, ClusterError> =>
  Effect.gen(function* () {
    const isOwnerTerminating = owner.metadata.deletionTimestamp !== undefined
    const claimed: Array<A> = []
    for (const object of owned) {
      if (belongs(object)) claimed.push(object)
      else if (!isOwnerTerminating) {
        const released = { ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }] }
        const finalizerRemoval = finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [finalizer] }
        yield* patchMetadata(cluster, kind, object, { ...released, ...finalizerRemoval })
      }
    }
    if (isOwnerTerminating) return claimed
    const adoptable = orphans.filter((object) => object.metadata.deletionTimestamp === undefined && belongs(object))
    if (adoptable.length > 0) yield* mayAdopt(cluster, owner)
    for (const object of adoptable) {
      const reference = { ownerReferences: [controllerReference(owner)] }
      const fields = finalizer === undefined ? reference : { ...reference, finalizers: [finalizer] }
      yield* patchMetadata(cluster, kind, object, fields)
      claimed.push(finalizer === undefined ? object : withFinalizer(object, finalizer))
    }
    return claimed
  })

export const claimPods = (cluster: ClusterShape, claim: Claim<Pod>) => claimObjects(cluster, "Pod", claim)
export const claimReplicaSets = (cluster: ClusterShape, claim: Claim<ReplicaSet>) =>
  claimObjects(cluster, "ReplicaSet", claim)

const withFinalizer = <A extends Pod | ReplicaSet>(object: A, finalizer: string): A => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] }
})
