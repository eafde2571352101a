import type { Container, Pod } from "@rollcall/api"
import type { NumaMask } from "./masks.ts"

/**
 * NUMA nodes on which a resource is available. Without a mask: any.
 * Upstream: pkg/kubelet/cm/topologymanager/topology_manager.go TopologyHint.
 */
export interface TopologyHint {
  readonly mask: NumaMask | undefined
  readonly preferred: boolean
}

/** The hint of a container for which none was stored. */
export const zeroHint: TopologyHint = { mask: undefined, preferred: false }

/**
 * A provider's hints, a list for each resource. No entry (or null for the whole) and a null list mean "no preference";
 * an empty list means "cannot be satisfied".
 */
export type HintLists = Readonly<Record<string, ReadonlyArray<TopologyHint> | null>>

/**
 * Why an allocation failed; the kind determines the reason of the pod's refusal.
 * Upstream: pkg/kubelet/cm/admission/errors.go.
 */
export interface AllocateFailure {
  readonly kind: "SMTAlignmentError" | "EmptyPodSharedPoolError" | "Other"
  readonly message: string
}

/** Makes the error of an allocation. */
export const allocateFailure = (message: string, kind: AllocateFailure["kind"] = "Other"): AllocateFailure => ({
  kind,
  message
})

/**
 * A manager of one of the machine's resources. It returns hints for a container (or a whole pod), then allocates with
 * the merged hint from the `AffinityStore`. The pod counts as active meanwhile. Upstream: topology_manager.go
 * HintProvider.
 */
export interface HintProvider {
  readonly name: string
  readonly getTopologyHints: (pod: Pod, container: Container) => HintLists | null
  readonly getPodTopologyHints: (pod: Pod) => HintLists | null
  /** undefined: done, or nothing to do. */
  readonly allocate: (pod: Pod, container: Container) => AllocateFailure | undefined
  /**
   * Allocates for a pod with pod-level resources in pod scope, instead of for its containers one by one (gate
   * PodLevelResourceManagers).
   */
  readonly allocatePod?: (pod: Pod) => AllocateFailure | undefined
  /** Releases the resources of all other pods. Called before hints are requested, with that pod's uid included. */
  readonly removeStale: (activePodUids: ReadonlySet<string>) => void
}

/** The merged hints, by pod and container; `zeroHint` where there is none. */
export interface AffinityStore {
  readonly getAffinity: (podUid: string, containerName: string) => TopologyHint
}

/** Where a manager stores its state across restarts of the kubelet: small files in its root directory. */
export interface Checkpoint {
  /** undefined: no such file. */
  readonly read: (name: string) => string | undefined
  readonly write: (name: string, text: string) => void
  /** The files' directory, for messages; absent: /var/lib/kubelet. */
  readonly directory?: string
}

export const checkpointDirectory = ({ directory }: Checkpoint): string => directory ?? "/var/lib/kubelet"
