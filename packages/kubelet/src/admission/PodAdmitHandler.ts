import type { Node, Pod } from "@rollcall/api"

/** The input of an admit handler. */
export interface PodAdmissionRequest {
  readonly pod: Pod
  /** Pods that hold resources of this node, without the one to admit; includes those being stopped. */
  readonly otherPods: () => ReadonlyArray<Pod>
  /** As last shown by the watch. */
  readonly node: Node | undefined
}

/** The pod becomes Failed with this reason, permanently. */
export interface PodRefusal {
  readonly reason: string
  readonly message: string
}

/** An asynchronous answer: the callback receives it. Later pods wait for it. */
export type LaterAnswer = (decide: (refusal: PodRefusal | undefined) => void) => void

/**
 * A handler that each new pod of a node must pass; the first refusal decides. Eviction, topology, predicates and
 * shutdown are handlers. Most answer synchronously: a refusal, or undefined for none. One that must first read the
 * Node or kill other pods answers later. Upstream: pkg/kubelet/lifecycle/interfaces.go PodAdmitHandler.
 */
export type PodAdmitHandler = (request: PodAdmissionRequest) => PodRefusal | LaterAnswer | undefined

/** Calls the handlers in order, until one refuses, or throws: then `failed` is called, and nothing is decided. */
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
