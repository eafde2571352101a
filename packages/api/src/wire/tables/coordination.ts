import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/coordination/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const coordination: Table = {
  package: "io.k8s.api.coordination.v1",
  group: "coordination.k8s.io",
  text: `
Lease kind list # A lock with a holder and an expiry: used for heartbeats of nodes and for leader election.
  metadata 1 meta.ObjectMeta &
  spec 2 LeaseSpec &
LeaseSpec # The holder and the times of a lease.
  holderIdentity 1 string * # The identity of the holder.
  leaseDurationSeconds 2 int32 * # The time in seconds after renewTime that others must wait before they may acquire the lease.
  acquireTime 3 MicroTime * # The time at which the holder acquired the lease.
  renewTime 4 MicroTime * # The time at which the holder last renewed the lease.
  leaseTransitions 5 int32 * # The number of changes of the holder.
  strategy 6 string * # The strategy of coordinated leader election by which the holder is chosen.
  preferredHolder 7 string * # The identity that should hold the lease next.
`
}
