import { isPodTerminal, type Pod } from "@rollcall/api"
import type { InformerHandler } from "@rollcall/cluster"

/** Callbacks for pods without a node (pending) and with one (assigned). A pod that terminates counts as deleted. */
export interface PodListener {
  readonly pending: (pod: Pod) => void
  readonly pendingChanged: (before: Pod, pod: Pod) => void
  readonly pendingGone: (pod: Pod) => void
  /** Called for a pod on a node that was listed first. */
  readonly listed: (pod: Pod) => void
  /** Called before any other call than `listed`. */
  readonly settle: () => void
  /** Called for a new pod on a node, and for a pending pod that gets one: `pendingGone` is not called for it. */
  readonly assigned: (pod: Pod) => void
  readonly assignedChanged: (before: Pod, pod: Pod) => void
  readonly assignedGone: (pod: Pod) => void
}

const isAssigned = (pod: Pod): boolean => pod.spec.nodeName !== undefined && pod.spec.nodeName !== ""

/**
 * Handles the events of an informer of pods. A terminated pod neither takes nor needs resources, so the listener is told
 * that it is gone. Upstream: pkg/scheduler/eventhandlers.go.
 */
export const podHandler = (listener: PodListener): InformerHandler<Pod> => {
  const notifyAdded = (pod: Pod) => (isAssigned(pod) ? listener.assigned(pod) : listener.pending(pod))
  const notifyGone = (pod: Pod) => (isAssigned(pod) ? listener.assignedGone(pod) : listener.pendingGone(pod))
  return {
    onAdd: (pod, isInInitialList) => {
      if (isPodTerminal(pod)) return
      if (isInInitialList === true && isAssigned(pod)) {
        listener.listed(pod)
        return
      }
      listener.settle()
      notifyAdded(pod)
    },
    onUpdate: (before, pod) => {
      listener.settle()
      const wasTerminal = isPodTerminal(before)
      const isTerminal = isPodTerminal(pod)
      if (wasTerminal && isTerminal) return
      if (before.metadata.uid !== pod.metadata.uid) {
        if (!wasTerminal) notifyGone(before)
        if (!isTerminal) notifyAdded(pod)
      } else if (wasTerminal) notifyAdded(pod)
      else if (isTerminal) notifyGone(pod)
      else if (isAssigned(before) === isAssigned(pod)) {
        if (isAssigned(pod)) listener.assignedChanged(before, pod)
        else listener.pendingChanged(before, pod)
      } else notifyAdded(pod)
    },
    onDelete: (pod) => {
      listener.settle()
      if (!isPodTerminal(pod)) notifyGone(pod)
    }
  }
}
