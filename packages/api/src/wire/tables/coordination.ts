import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/coordination/v1/{types.go,generated.proto}. */
export const coordination: Table = {
  package: "io.k8s.api.coordination.v1",
  group: "coordination.k8s.io",
  text: `
Lease kind list
  metadata 1 meta.ObjectMeta &
  spec 2 LeaseSpec &
LeaseSpec
  holderIdentity 1 string *
  leaseDurationSeconds 2 int32 *
  acquireTime 3 MicroTime *
  renewTime 4 MicroTime *
  leaseTransitions 5 int32 *
  strategy 6 string *
  preferredHolder 7 string *
`
}
