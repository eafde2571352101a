import type { KindName, KubeObject, Pod } from "@rollcall/api"
import type { DeleteRequest } from "../Connection.ts"

/** Returns how long a deleted object stays, in seconds: a pod on a node for its grace period, any other object 0. */
export const graceSecondsOf = (kind: KindName, object: KubeObject, { options }: DeleteRequest): number => {
  if (kind !== "Pod") return 0
  const { nodeName = "", terminationGracePeriodSeconds = 30 } = (object as Pod).spec
  return nodeName === "" ? 0 : (options?.gracePeriodSeconds ?? terminationGracePeriodSeconds)
}

/** Whether a deleted object can be removed: its grace period is 0 and it has no finalizers. */
export const isGone = ({ metadata: { deletionGracePeriodSeconds, finalizers = [] } }: KubeObject): boolean =>
  deletionGracePeriodSeconds === 0 && finalizers.length === 0

/** Returns the fields of the metadata that no client can change. */
export const preserved = ({ metadata }: KubeObject): KubeObject["metadata"] =>
  Object.fromEntries(
    (["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const).flatMap((field) =>
      metadata[field] === undefined ? [] : [[field, metadata[field]]]
    )
  )
