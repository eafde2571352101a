import type { Node, Pod, ResourceClaim } from "@rollcall/api"
import type { Allocation } from "./allocate.ts"
import type { ExtendedPart, NodeClaim } from "./ExtendedClaims.ts"

/** What is known of the pod that is being scheduled. */
export interface Cycle {
  readonly pod: Pod
  readonly generation: number
  readonly startedAt: number
  readonly claims: ReadonlyArray<ResourceClaim>
  readonly unallocated: ReadonlyArray<ResourceClaim>
  readonly extended: ExtendedPart | undefined
  readonly byNode: Map<Node, NodeAllocation>
  /** Allocated claims that kept the pod off a node. */
  readonly unavailable: Set<ResourceClaim>
}

/** What the pod's claims get on a node; `extended` is the one for its extended resources there. */
export interface NodeAllocation {
  readonly allocation: Allocation | undefined
  readonly extended: NodeClaim | undefined
}

/** Whether a pod has nothing to do with devices. */
export const isEmpty = ({ claims, extended }: Cycle): boolean => claims.length === 0 && extended === undefined
