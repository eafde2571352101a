import { type Lease, type Node, nodeLeaseNamespace, type OwnerReference } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"

/**
 * Returns the owner reference to a Node that the API server has returned. The garbage collector deletes a lease with
 * this reference after its Node.
 */
export const nodeOwnerReference = ({ metadata: { name = "", uid = "" } }: Node): OwnerReference => ({
  apiVersion: "v1",
  kind: "Node",
  // The API server always sets both; only the type of `metadata` allows them to be absent.
  name,
  uid
})

export const hasOwner = ({ metadata }: Lease): boolean =>
  metadata.ownerReferences !== undefined && metadata.ownerReferences.length > 0

/**
 * Returns the lease that a kubelet creates for its node, without an owner reference: `withOwner` adds that, once the
 * Node has been read. `renewTime` is in the format of `metav1.MicroTime`. Upstream:
 * staging/src/k8s.io/component-helpers/apimachinery/lease/controller.go newLease.
 */
export const newLease = (name: string, durationSeconds: number, renewTime: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: nodeLeaseNamespace },
  spec: { holderIdentity: name, leaseDurationSeconds: durationSeconds, renewTime }
})

/**
 * Returns a renewed copy of the lease. It keeps the metadata, and with it the resourceVersion: the PUT fails with a
 * conflict if the lease has changed since it was read.
 */
export const renewedLease = (current: Lease, durationSeconds: number, renewTime: string): Lease => ({
  apiVersion: current.apiVersion,
  kind: current.kind,
  metadata: current.metadata,
  spec: { ...current.spec, leaseDurationSeconds: durationSeconds, renewTime }
})

/** Returns a copy of a lease without an owner whose only owner is `owner`, if that is known; otherwise the lease. */
export const withOwner = (lease: Lease, owner: OwnerReference | undefined): Lease =>
  owner === undefined || hasOwner(lease)
    ? lease
    : { ...lease, metadata: { ...lease.metadata, ownerReferences: [owner] } }

/** Returns the request that reads the lease of a node. */
export const leaseRead = (name: string): ApiRequest => ({
  verb: "get",
  kind: "Lease",
  namespace: nodeLeaseNamespace,
  name
})
