import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/scheduling/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const scheduling: Table = {
  package: "io.k8s.api.scheduling.v1",
  group: "scheduling.k8s.io",
  text: `
PriorityClass kind list # A name for a priority of pods.
  metadata 1 meta.ObjectMeta &
  value 2 int32 # The priority itself: more is more important.
  globalDefault 3 bool # Whether pods that name no class get this one.
  description 4 string # What it is for.
  preemptionPolicy 5 string * enum(Never|PreemptLowerPriority) # Whether pods of this class may drive off others.
`
}
