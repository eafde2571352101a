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

/** Answers later: what it is called with is the answer. Pods that come after this one wait for it. */
export type LaterAnswer = (decide: (refusal: PodRefusal | undefined) => void) => void

/**
 * A link of the admission chain that each new pod of a node passes; the first refusal wins. This is where eviction, topology,
 * predicates and shutdown plug in. Most answer at once: a refusal, or undefined for none. One that must first read the Node or
 * end other pods answers later. Upstream: pkg/kubelet/lifecycle/interfaces.go PodAdmitHandler.
 */
export type PodAdmitHandler = (request: PodAdmissionRequest) => PodRefusal | LaterAnswer | undefined

/** Asks the handlers in order, until one refuses, or throws: then `failed` hears of it, and nothing is decided. */
export const admitPod = (
  handlers: ReadonlyArray<PodAdmitHandler>,
  request: PodAdmissionRequest,
  decide: (refusal: PodRefusal | undefined) => void,
  failed: (error: unknown) => void
): void => {
  const ask = (from: number): (() => void) => {
    for (let index = from; index < handlers.length; index++) {
      const answer = handlers[index]?.(request)
      if (answer === undefined) continue
      if (typeof answer !== "function") return () => decide(answer)
      answer((refusal) => (refusal === undefined ? goOn(index + 1) : decide(refusal)))
      return () => {}
    }
    return () => decide(undefined)
  }
  const goOn = (from: number): void => {
    let answer: () => void
    try {
      answer = ask(from)
    } catch (error) {
      failed(error)
      return
    }
    answer()
  }
  goOn(0)
}
