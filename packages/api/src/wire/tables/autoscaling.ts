import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/autoscaling/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const autoscaling: Table = {
  package: "io.k8s.api.autoscaling.v1",
  group: "autoscaling",
  text: `
Scale kind # The desired and the actual number of pods of a workload.
  metadata 1 meta.ObjectMeta &
  spec 2 ScaleSpec &
  status 3 ScaleStatus &
ScaleSpec
  replicas 1 int32
ScaleStatus
  replicas 1 int32 !
  selector 2 string
`
}
