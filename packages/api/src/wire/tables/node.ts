import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/node/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const node: Table = {
  package: "io.k8s.api.node.v1",
  group: "node.k8s.io",
  text: `
RuntimeClass kind list # A handler of the container runtime, and its resource overhead.
  metadata 1 meta.ObjectMeta &
  handler 2 string !
  overhead 3 Overhead
  scheduling 4 Scheduling
Overhead
  podFixed 1 {}Quantity
Scheduling
  nodeSelector 1 {}string atomic
  tolerations 2 []core.Toleration
`
}
