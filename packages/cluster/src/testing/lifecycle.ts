import type { KindName, KubeObject, Pod } from "@rollcall/api"
import type { DeleteRequest } from "../Connection.ts"

/** How long a deleted object stays: a pod on a node, for its grace period. */
export const graceSecondsOf = (kind: KindName, object: KubeObject, { options }: DeleteRequest): number => {
  if (kind !== "Pod") return 0
  const { nodeName = "", terminationGracePeriodSeconds = 30 } = (object as Pod).spec
  return nodeName === "" ? 0 : (options?.gracePeriodSeconds ?? terminationGracePeriodSeconds)
}

/** Whether nothing keeps a deleted object any more. */
export const isGone = ({ metadata: { deletionGracePeriodSeconds, finalizers = [] } }: KubeObject): boolean =>
  deletionGracePeriodSeconds === 0 && finalizers.length === 0

/** What no client can change. */
export const preserved = ({ metadata }: KubeObject): KubeObject["metadata"] =>
  Object.fromEntries(
    (["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const).flatMap((field) =>
      metadata[field] === undefined ? [] : [[field, metadata[field]]]
    )
  )
