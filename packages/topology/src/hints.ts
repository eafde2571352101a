import type { Container, Pod } from "@rollcall/api"
import type { NumaMask } from "./masks.ts"

/** Where a resource can be had. Without a mask: anywhere. Upstream: pkg/kubelet/cm/topologymanager/topology_manager.go TopologyHint. */
export interface TopologyHint {
  readonly mask: NumaMask | undefined
  readonly preferred: boolean
}

/** What is known of a container that no hint was stored for. */
export const zeroHint: TopologyHint = { mask: undefined, preferred: false }

/**
 * A provider's answer, a list for each resource. Three different things: no entry at all (or null for the whole) and a null list say "no
 * preference"; an empty list says "cannot be satisfied".
 */
export type HintLists = Readonly<Record<string, ReadonlyArray<TopologyHint> | null>>

/** Why an allocation failed; the kind decides the reason that the pod is refused with. Upstream: pkg/kubelet/cm/admission/errors.go. */
export interface AllocateFailure {
  readonly kind: "SMTAlignmentError" | "EmptyPodSharedPoolError" | "Other"
  readonly message: string
}

export const allocateFailure = (message: string, kind: AllocateFailure["kind"] = "Other"): AllocateFailure => ({
  kind,
  message
})

/**
 * A manager that owns a resource of the machine. It is asked where a container (or a whole pod) could have it, then told to allocate, with
 * the merged hint to be read back from the `AffinityStore`. The pod counts as active while it is asked about. Upstream:
 * topology_manager.go HintProvider.
 */
export interface HintProvider {
  readonly name: string
  readonly getTopologyHints: (pod: Pod, container: Container) => HintLists | null
  readonly getPodTopologyHints: (pod: Pod) => HintLists | null
  /** undefined: done, or nothing to do. */
  readonly allocate: (pod: Pod, container: Container) => AllocateFailure | undefined
  /** For a pod with pod-level resources in pod scope, instead of its containers one by one (gate PodLevelResourceManagers). */
  readonly allocatePod?: (pod: Pod) => AllocateFailure | undefined
  /** Gives back what pods hold that are not among these. Called before a pod is asked about, its own uid among them. */
  readonly removeStale: (activePodUids: ReadonlySet<string>) => void
}

/** The merged hints, by pod and container; `zeroHint` where there is none. */
export interface AffinityStore {
  readonly getAffinity: (podUid: string, containerName: string) => TopologyHint
}

/** Where a manager keeps its state over a restart of the kubelet: small files in its root directory. */
export interface Checkpoint {
  /** undefined: no such file. */
  readonly read: (name: string) => string | undefined
  readonly write: (name: string, text: string) => void
  /** Where they are, for messages; absent: /var/lib/kubelet. */
  readonly directory?: string
}

export const checkpointDirectory = ({ directory }: Checkpoint): string => directory ?? "/var/lib/kubelet"
