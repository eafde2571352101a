import { type KindName, resourceOf } from "@rollcall/api"
import type { HeldBy } from "@rollcall/kubelet"
import type { Plan } from "../input/Plan.ts"

const keyOf = (kind: KindName, namespace = "default") => `${kind}/${resourceOf(kind).namespaced ? namespace : ""}`

/**
 * Returns the kinds, by namespace, of which a missing object holds a pod that refers to it: those of which the snapshot has objects there,
 * or, without a snapshot, the scenario. `rollcall snapshot` takes none, a snapshot from `kubectl get` may have those of some namespaces, and
 * manifests of workloads alone have none: the other pods would never start.
 */
export const heldBy = ({
  eventObjects,
  objects,
  snapshot
}: Pick<Plan, "eventObjects" | "objects" | "snapshot">): HeldBy => {
  const known = snapshot.length > 0 ? snapshot : [...objects, ...[...eventObjects.values()].flat()]
  const found = new Set(known.map(({ kind, object }) => keyOf(kind, object.metadata.namespace)))
  return (kind, namespace) => found.has(keyOf(kind, namespace))
}
