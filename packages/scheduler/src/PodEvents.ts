import { isPodTerminal, type Pod } from "@rollcall/api"
import type { InformerHandler } from "@rollcall/cluster"

/** Callbacks for pods, by whether they are assigned to a node. Terminated pods count as deleted. */
export interface PodListener {
  readonly pending: (pod: Pod) => void
  readonly pendingChanged: (before: Pod, pod: Pod) => void
  readonly pendingGone: (pod: Pod) => void
  /** Also for a pod that was pending. */
  readonly placed: (pod: Pod) => void
  readonly placedChanged: (before: Pod, pod: Pod) => void
  readonly placedGone: (pod: Pod) => void
}

const isPlaced = (pod: Pod): boolean => pod.spec.nodeName !== undefined && pod.spec.nodeName !== ""

/**
 * Terminated pods take and need no resources: for a scheduler they are deleted.
 * Upstream: pkg/scheduler/eventhandlers.go.
 */
export const podHandler = (listener: PodListener): InformerHandler<Pod> => {
  const came = (pod: Pod) => (isPlaced(pod) ? listener.placed(pod) : listener.pending(pod))
  const gone = (pod: Pod) => (isPlaced(pod) ? listener.placedGone(pod) : listener.pendingGone(pod))
  return {
    onAdd: (pod) => {
      if (!isPodTerminal(pod)) came(pod)
    },
    onUpdate: (before, pod) => {
      const wasDone = isPodTerminal(before)
      const isDone = isPodTerminal(pod)
      if (wasDone && isDone) return
      if (before.metadata.uid !== pod.metadata.uid) {
        if (!wasDone) gone(before)
        if (!isDone) came(pod)
      } else if (wasDone) came(pod)
      else if (isDone) gone(pod)
      else if (isPlaced(before) === isPlaced(pod)) {
        if (isPlaced(pod)) listener.placedChanged(before, pod)
        else listener.pendingChanged(before, pod)
      } else came(pod)
    },
    onDelete: (pod) => {
      if (!isPodTerminal(pod)) gone(pod)
    }
  }
}
