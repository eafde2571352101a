import { isPodTerminal, type Pod } from "@rollcall/api"
import type { InformerHandler } from "@rollcall/cluster"

/** What a scheduler wants to know about pods, told apart by whether they are on a node and still of account there. */
export interface PodListener {
  readonly pending: (pod: Pod) => void
  readonly pendingChanged: (before: Pod, pod: Pod) => void
  readonly pendingGone: (pod: Pod) => void
  /** Also of a pod that was pending. */
  readonly placed: (pod: Pod) => void
  readonly placedChanged: (before: Pod, pod: Pod) => void
  readonly placedGone: (pod: Pod) => void
}

const isPlaced = (pod: Pod): boolean => pod.spec.nodeName !== undefined && pod.spec.nodeName !== ""

/** Finished pods take no room and need none: for a scheduler they are gone. Upstream: pkg/scheduler/eventhandlers.go. */
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
