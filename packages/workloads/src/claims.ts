import { controllerReference, getControllerOf, type KubeObject, type Pod, type ReplicaSet } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

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
  readonly belongs: (object: A) => boolean
  /** A finalizer added on adoption and removed on release. */
  readonly finalizer?: string
}

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
 * The objects of an owner: those that it controls and selects, and orphans that it selects, which it adopts. It
 * releases those that it no longer selects. A terminating owner neither adopts nor releases.
 * Upstream: pkg/controller/controller_ref_manager.go ClaimPods, ClaimReplicaSets.
 */
const claimOf = <A extends Pod | ReplicaSet>(
  cluster: ClusterShape,
  kind: "Pod" | "ReplicaSet",
  { belongs, finalizer, orphans, owned, owner }: Claim<A>
): Effect.Effect<ReadonlyArray<A>, ClusterError> =>
  Effect.gen(function* () {
    const isEnding = owner.metadata.deletionTimestamp !== undefined
    const own: Array<A> = []
    for (const object of owned) {
      if (belongs(object)) own.push(object)
      else if (!isEnding) {
        const released = { ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }] }
        const off = finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [finalizer] }
        yield* patchMetadata(cluster, kind, object, { ...released, ...off })
      }
    }
    if (isEnding) return own
    for (const object of orphans) {
      if (object.metadata.deletionTimestamp !== undefined || !belongs(object)) continue
      const reference = { ownerReferences: [controllerReference(owner)] }
      const fields = finalizer === undefined ? reference : { ...reference, finalizers: [finalizer] }
      yield* patchMetadata(cluster, kind, object, fields)
      own.push(finalizer === undefined ? object : withFinalizer(object, finalizer))
    }
    return own
  })

export const claimPods = (cluster: ClusterShape, claim: Claim<Pod>) => claimOf(cluster, "Pod", claim)
export const claimReplicaSets = (cluster: ClusterShape, claim: Claim<ReplicaSet>) =>
  claimOf(cluster, "ReplicaSet", claim)

const withFinalizer = <A extends Pod | ReplicaSet>(object: A, finalizer: string): A => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] }
})
