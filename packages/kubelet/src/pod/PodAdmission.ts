import type { Node, Pod } from "@rollcall/api"

/** What a handler may look at. */
export interface PodAdmissionRequest {
  readonly pod: Pod
  /** Pods that hold resources of this node, without the one asked about; those being stopped are among them. */
  readonly otherPods: () => ReadonlyArray<Pod>
  /** As the watch last showed it. */
  readonly node: Node | undefined
}

/** The pod becomes Failed with this reason, for ever. */
export interface PodRefusal {
  readonly reason: string
  readonly message: string
}

/**
 * A link of the admission chain that each new pod of a node passes; the first refusal wins. This is where eviction, topology,
 * predicates and shutdown plug in. Upstream: pkg/kubelet/lifecycle/interfaces.go PodAdmitHandler.
 */
export type PodAdmissionHandler = (request: PodAdmissionRequest) => PodRefusal | undefined

export const admitPod = (
  handlers: ReadonlyArray<PodAdmissionHandler>,
  request: PodAdmissionRequest
): PodRefusal | undefined => {
  for (const handler of handlers) {
    const refusal = handler(request)
    if (refusal !== undefined) return refusal
  }
  return undefined
}
