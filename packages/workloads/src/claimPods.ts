import { controllerReference, getControllerOf, type KubeObject, type Pod } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The value of the index `orphans` of pods: the namespace of one that nobody controls. */
export const orphanIn = (pod: Pod): string | undefined =>
  getControllerOf(pod) === undefined ? pod.metadata.namespace : undefined

/** The pods that could be a set's, and by what it knows its own. */
export interface PodClaim {
  readonly owner: KubeObject
  /** Pods that name the owner as their controller. */
  readonly owned: ReadonlyArray<Pod>
  /** Pods of its namespace that nobody controls. */
  readonly orphans: ReadonlyArray<Pod>
  readonly belongs: (pod: Pod) => boolean
  /** Given to pods that are adopted, taken off those that are let go. */
  readonly finalizer?: string
}

const patchPod = (cluster: ClusterShape, { metadata }: Pod, fields: object): Effect.Effect<void, ClusterError> => {
  const { name = "", namespace, uid } = metadata
  return cluster.patch("Pod", { namespace, name }, "strategic", { metadata: { ...fields, uid } }).pipe(
    Effect.catchIf(isNotFound, () => Effect.void),
    Effect.asVoid
  )
}

/**
 * The pods of a set: its own that it still selects, and orphans that it selects, which it adopts. Those that it selects no longer
 * are let go. A set on its way out adopts nothing and lets nothing go.
 * Upstream: pkg/controller/controller_ref_manager.go ClaimPods.
 */
export const claimPods = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  { belongs, finalizer, orphans, owned, owner }: PodClaim
) {
  const isEnding = owner.metadata.deletionTimestamp !== undefined
  const own: Array<Pod> = []
  for (const pod of owned) {
    if (belongs(pod)) own.push(pod)
    else if (!isEnding) {
      const released = { ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }] }
      const off = finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [finalizer] }
      yield* patchPod(cluster, pod, { ...released, ...off })
    }
  }
  if (isEnding) return own
  for (const pod of orphans) {
    if (pod.metadata.deletionTimestamp !== undefined || !belongs(pod)) continue
    const reference = { ownerReferences: [controllerReference(owner)] }
    yield* patchPod(cluster, pod, finalizer === undefined ? reference : { ...reference, finalizers: [finalizer] })
    own.push(finalizer === undefined ? pod : withFinalizer(pod, finalizer))
  }
  return own
})

const withFinalizer = (pod: Pod, finalizer: string): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, finalizers: [...(pod.metadata.finalizers ?? []), finalizer] }
})
