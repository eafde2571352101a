import { type Lease, type Node, nodeLeaseNamespace, type OwnerReference } from "@rollcall/api"

/** The owner reference that deletes the lease with its Node. */
export const leaseOwner = (node: Node): OwnerReference => ({
  apiVersion: "v1",
  kind: "Node",
  name: node.metadata.name ?? "",
  uid: node.metadata.uid ?? ""
})

export const hasOwner = ({ metadata }: Lease): boolean =>
  metadata.ownerReferences !== undefined && metadata.ownerReferences.length > 0

/** A new lease. Upstream: component-helpers/apimachinery/lease/controller.go newLease. */
export const freshLease = (name: string, durationSeconds: number, renewTime: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: nodeLeaseNamespace },
  spec: { holderIdentity: name, leaseDurationSeconds: durationSeconds, renewTime }
})

/**
 * A renewed copy of the lease. It shares the metadata, and with it the resourceVersion that makes the PUT optimistic.
 */
export const renewedLease = (held: Lease, durationSeconds: number, renewTime: string): Lease => ({
  apiVersion: held.apiVersion,
  kind: held.kind,
  metadata: held.metadata,
  spec: { ...held.spec, leaseDurationSeconds: durationSeconds, renewTime }
})

export const ownedLease = (lease: Lease, owner: OwnerReference): Lease => ({
  ...lease,
  metadata: { ...lease.metadata, ownerReferences: [owner] }
})
