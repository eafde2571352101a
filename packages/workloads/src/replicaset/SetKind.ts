import type { KubeObject, ReplicaSet, ReplicaSetStatus, ReplicationController } from "@rollcall/api"

/** The kinds that keep a number of pods of one template. */
export type SetKind = "ReplicaSet" | "ReplicationController"

const converted = new WeakMap<ReplicationController, ReplicaSet>()
const originals = new WeakMap<ReplicaSet, ReplicationController>()

/**
 * Returns a ReplicationController in the form of a ReplicaSet, whose controller keeps its pods. Upstream:
 * pkg/controller/replication/conversion.go.
 */
export const asReplicaSet = (controller: ReplicationController): ReplicaSet => {
  const known = converted.get(controller)
  if (known !== undefined) return known
  const { selector, ...spec } = controller.spec ?? {}
  const set = {
    ...controller,
    spec: { ...spec, selector: { matchLabels: selector ?? {} } }
  } as unknown as ReplicaSet
  converted.set(controller, set)
  originals.set(set, controller)
  return set
}

/**
 * Returns the object as its kind has it, with this status; a ReplicationController does not count terminating pods.
 */
export const withSetStatus = (kind: SetKind, object: KubeObject, status: ReplicaSetStatus): KubeObject => {
  if (kind === "ReplicaSet") return { ...object, status } as KubeObject
  const { terminatingReplicas: _, ...shown } = status
  return { ...(originals.get(object as ReplicaSet) ?? object), status: shown } as KubeObject
}
