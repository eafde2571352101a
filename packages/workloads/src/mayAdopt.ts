import { internalError, isKindName, type KubeObject, keyOf } from "@rollcall/api"
import { ApiError, type ClusterError, type ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

const refusal = (message: string) => new ApiError({ status: { ...internalError(""), message } })

/**
 * Fails unless the API has the owner still and it is not being deleted: the cache may be behind, and what the garbage
 * collector has just orphaned would be adopted, and deleted with its owner. Upstream:
 * pkg/controller/controller_ref_manager.go RecheckDeletionTimestamp.
 */
export const mayAdopt = (cluster: ClusterShape, owner: KubeObject): Effect.Effect<void, ClusterError> => {
  const { kind } = owner
  const { name = "", namespace, uid } = owner.metadata
  if (!isKindName(kind)) return Effect.fail(refusal(`can't recheck DeletionTimestamp: ${kind} is no kind`))
  return Effect.flatMap(cluster.get(kind, { namespace, name }), ({ metadata }) => {
    if (metadata.uid !== uid) {
      return Effect.fail(refusal(`original ${kind} ${keyOf(owner)} is gone: got uid ${metadata.uid}, wanted ${uid}`))
    }
    return metadata.deletionTimestamp === undefined
      ? Effect.void
      : Effect.fail(refusal(`${keyOf(owner)} has just been deleted at ${metadata.deletionTimestamp}`))
  })
}
