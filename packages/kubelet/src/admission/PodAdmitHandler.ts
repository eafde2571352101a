import type { Node, Pod } from "@rollcall/api"

/** The input of an admit handler. */
export interface PodAdmissionRequest {
  readonly pod: Pod
  /** Whether the pod runs already, and asks for other resources. */
  readonly isResize?: boolean
  /** Returns the pods that hold resources of this node, including those being stopped, without the one to admit. */
  readonly otherPods: () => ReadonlyArray<Pod>
  /** The Node as last shown by the watch. */
  readonly node: Node | undefined
}

/** A refusal: the pod becomes Failed for good, with this reason and message. */
export interface PodRefusal {
  readonly reason: string
  readonly message: string
}

/** An asynchronous answer, which is passed to `decide`; undefined admits the pod. Later pods wait for it. */
export type LaterAnswer = (decide: (refusal: PodRefusal | undefined) => void) => void

/**
 * A handler that each new pod of a node must pass. Eviction, topology, predicates and shutdown are handlers. Most
 * answer synchronously with a refusal, or with undefined to let the pod pass. A handler that must first read the Node
 * or kill other pods answers later. Upstream: pkg/kubelet/lifecycle/interfaces.go PodAdmitHandler.
 */
export interface PodAdmitHandler {
  (request: PodAdmissionRequest): PodRefusal | LaterAnswer | undefined
  /**
   * Whether the handler is sure to let each of these pods pass beside all others of them, and would do nothing else. A
   * handler without it is called for each pod.
   */
  readonly admitsAll?: (pods: ReadonlyArray<Pod>, node: Node | undefined) => boolean
}

/** Makes a handler of a rule about one pod, which does not depend on the other pods. */
export const judgingAlone = (refusal: (pod: Pod) => PodRefusal | undefined): PodAdmitHandler =>
  Object.assign(({ pod }: PodAdmissionRequest) => refusal(pod), {
    admitsAll: (pods: ReadonlyArray<Pod>) => pods.every((pod) => refusal(pod) === undefined)
  })

/**
 * Whether all handlers are sure to admit these pods to a node without any. A kubelet that starts takes over all pods of
 * its node: one question about all of them costs less than one about each and those before it.
 */
export const admitsAll = (
  handlers: ReadonlyArray<PodAdmitHandler>,
  pods: ReadonlyArray<Pod>,
  node: Node | undefined
): boolean => {
  try {
    return handlers.every((handler) => handler.admitsAll?.(pods, node) === true)
  } catch {
    // The pod that cannot be judged is found when each is asked about.
    return false
  }
}

/**
 * Calls the handlers in order, and then `decide`: with the first refusal, or with undefined if there is none. If a
 * handler throws, `failed` is called instead.
 */
export const admitPod = (
  handlers: ReadonlyArray<PodAdmitHandler>,
  request: PodAdmissionRequest,
  decide: (refusal: PodRefusal | undefined) => void,
  failed: (error: unknown) => void
): void => {
  // Returns the call of `decide`, so that an exception of `decide` does not count as one of a handler.
  const runHandlers = (from: number): (() => void) => {
    for (let index = from; index < handlers.length; index++) {
      const answer = handlers[index]?.(request)
      if (answer === undefined) continue
      if (typeof answer !== "function") return () => decide(answer)
      answer((refusal) => (refusal === undefined ? continueAt(index + 1) : decide(refusal)))
      return () => {}
    }
    return () => decide(undefined)
  }
  const continueAt = (from: number): void => {
    let answer: () => void
    try {
      answer = runHandlers(from)
    } catch (error) {
      failed(error)
      return
    }
    answer()
  }
  continueAt(0)
}
