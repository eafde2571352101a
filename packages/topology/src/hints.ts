import type { Container, Pod } from "@rollcall/api"
import type { NumaMask } from "./masks.ts"

/**
 * A set of NUMA nodes on which a resource is available. An undefined mask means any nodes. Upstream:
 * pkg/kubelet/cm/topologymanager/topology_manager.go TopologyHint.
 */
export interface TopologyHint {
  readonly mask: NumaMask | undefined
  readonly preferred: boolean
}

/** The hint of a container for which none was stored. */
export const zeroHint: TopologyHint = { mask: undefined, preferred: false }

/**
 * A provider's hints, a list for each resource. A null list means "no preference", as do no entries and null instead of
 * this object. An empty list means "cannot be satisfied".
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
 * A manager of one of the machine's resources. It returns hints for a container or a whole pod, and then allocates with
 * the merged hint from the `AffinityStore`. The pod counts as active meanwhile. Upstream: topology_manager.go
 * HintProvider.
 */
export interface HintProvider {
  readonly name: string
  readonly getTopologyHints: (pod: Pod, container: Container) => HintLists | null
  readonly getPodTopologyHints: (pod: Pod) => HintLists | null
  /** Allocates a container's resources. Returns undefined if that succeeded, or if there was nothing to do. */
  readonly allocate: (pod: Pod, container: Container) => AllocateFailure | undefined
  /**
   * Allocates for a pod with pod-level resources in pod scope, instead of for its containers one by one (gate
   * PodLevelResourceManagers).
   */
  readonly allocatePod?: (pod: Pod) => AllocateFailure | undefined
  /**
   * Releases the resources of all other pods. It is called before hints are requested for a pod, whose uid is included.
   */
  readonly removeStale: (activePodUids: ReadonlySet<string>) => void
}

/** The merged hints. */
export interface AffinityStore {
  /** Returns the merged hint of a container, or `zeroHint` if none is stored. */
  readonly getAffinity: (podUid: string, containerName: string) => TopologyHint
}

/** The files in which managers keep their state across restarts of the kubelet. */
export interface Checkpoint {
  /** Returns the text of a file, or undefined if it does not exist. */
  readonly read: (name: string) => string | undefined
  readonly write: (name: string, text: string) => void
  /** The directory of the files, for messages; absent means /var/lib/kubelet. */
  readonly directory?: string
}

export const checkpointDirectory = ({ directory }: Checkpoint): string => directory ?? "/var/lib/kubelet"
