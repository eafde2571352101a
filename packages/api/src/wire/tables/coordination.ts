import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/coordination/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const coordination: Table = {
  package: "io.k8s.api.coordination.v1",
  group: "coordination.k8s.io",
  text: `
Lease kind list # Who holds something, and until when: heartbeats of nodes, and elections of leaders.
  metadata 1 meta.ObjectMeta &
  spec 2 LeaseSpec &
LeaseSpec # Holder and times of a lease.
  holderIdentity 1 string * # Who holds it.
  leaseDurationSeconds 2 int32 * # How long after renewTime others must wait before they may take it.
  acquireTime 3 MicroTime * # When its holder got it.
  renewTime 4 MicroTime * # When its holder last renewed it.
  leaseTransitions 5 int32 * # How often it went to another holder.
  strategy 6 string * # How its holder is chosen, where the control plane chooses.
  preferredHolder 7 string * # Who should have it next.
`
}
