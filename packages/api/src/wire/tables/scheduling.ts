import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/scheduling/v1/{types.go,generated.proto}. */
export const scheduling: Table = {
  package: "io.k8s.api.scheduling.v1",
  group: "scheduling.k8s.io",
  text: `
PriorityClass kind list
  metadata 1 meta.ObjectMeta &
  value 2 int32
  globalDefault 3 bool
  description 4 string
  preemptionPolicy 5 string * enum(Never|PreemptLowerPriority)
`
}
