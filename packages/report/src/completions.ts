import type { TraceEntry } from "@rollcall/simulator/result"
import { inNamespace } from "./owners.ts"

/**
 * Returns the entries in which pods become not ready because they have completed, as those of Jobs do: all their containers ended by
 * themselves, with success. They are no loss. A pod that is being deleted does not complete, also if its containers end with success.
 */
export const completionsOf = (trace: ReadonlyArray<TraceEntry>): ReadonlySet<TraceEntry> => {
  const completions = new Set<TraceEntry>()
  const deleted = new Set<string>()
  /** The last entry of each pod that it is not ready, and when it succeeded. A kubelet may report the two in two statuses of one instant. */
  const notReady = new Map<string, TraceEntry>()
  const succeededAt = new Map<string, number>()
  for (const entry of trace) {
    if (!("pod" in entry)) continue
    const pod = inNamespace(entry.namespace, entry.pod)
    if (entry.type === "PodDeletionRequested") deleted.add(pod)
    else if (entry.type === "PodCreated") deleted.delete(pod)
    else if (deleted.has(pod)) continue
    else if (entry.type === "PodReadyChanged" && !entry.ready) {
      notReady.set(pod, entry)
      if (succeededAt.get(pod) === entry.at) completions.add(entry)
    } else if (entry.type === "PodPhaseChanged" && entry.to === "Succeeded") {
      succeededAt.set(pod, entry.at)
      const before = notReady.get(pod)
      if (before?.at === entry.at) completions.add(before)
    }
  }
  return completions
}
