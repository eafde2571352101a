import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/coordination/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const coordination: Table = {
  package: "io.k8s.api.coordination.v1",
  group: "coordination.k8s.io",
  messages: `
Lease kind hasList # A lock with a holder and an expiry: used for heartbeats of nodes and for leader election.
  metadata 1 meta.ObjectMeta byValue
  spec 2 LeaseSpec byValue
LeaseSpec # The holder and the times of a lease.
  holderIdentity 1 string pointer # The identity of the holder.
  leaseDurationSeconds 2 int32 pointer # The time in seconds after renewTime that others must wait before they may acquire the lease.
  acquireTime 3 MicroTime pointer # The time at which the holder acquired the lease.
  renewTime 4 MicroTime pointer # The time at which the holder last renewed the lease.
  leaseTransitions 5 int32 pointer # The number of changes of the holder.
  strategy 6 string pointer # The strategy of coordinated leader election by which the holder is chosen.
  preferredHolder 7 string pointer # The identity that should hold the lease next.
`
}
