import type { ReferencedKind } from "@rollcall/kubelet"
import type { Plan } from "../input/Plan.ts"

const kinds: ReadonlyArray<ReferencedKind> = ["ConfigMap", "Secret"]

/**
 * Returns the kinds of which a missing object holds a pod that refers to it: those of which the snapshot has objects, or, without a
 * snapshot, the scenario. `rollcall snapshot` takes none, and manifests of workloads alone have none: their pods would never start.
 */
export const heldBy = ({
  eventObjects,
  objects,
  snapshot
}: Pick<Plan, "eventObjects" | "objects" | "snapshot">): ReadonlySet<ReferencedKind> => {
  const known = snapshot.length > 0 ? snapshot : [...objects, ...[...eventObjects.values()].flat()]
  const found = new Set(known.map(({ kind }) => kind))
  return new Set(kinds.filter((kind) => found.has(kind)))
}
