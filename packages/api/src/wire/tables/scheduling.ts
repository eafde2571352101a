import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/scheduling/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const scheduling: Table = {
  package: "io.k8s.api.scheduling.v1",
  group: "scheduling.k8s.io",
  text: `
PriorityClass kind list # A named priority for pods.
  metadata 1 meta.ObjectMeta &
  value 2 int32 # The priority as a number: higher numbers are more important.
  globalDefault 3 bool # Whether this is the class of pods that name none.
  description 4 string # The purpose of the class.
  preemptionPolicy 5 string * enum(Never|PreemptLowerPriority) # Whether pods of this class may preempt others.
`
}
