import type { DeletedBy, TraceEntry } from "@rollcall/simulator/result"
import { inNamespace, noOwners, type Owners, ownersOf } from "./owners.ts"

/** A deleted pod and its replacement. */
export interface Move {
  readonly namespace: string
  readonly pod: string
  /** The node of the deleted pod. */
  readonly node: string
  /** When its deletion was requested (virtual seconds). */
  readonly at: number
  readonly by: DeletedBy
  /** `Kind/name` of its controller, or null. */
  readonly owner: string | null
  /** The name of the replacement; undefined if there is none. */
  readonly replacement: string | undefined
  readonly replacementNode: string | undefined
  /** When the replacement became ready (virtual seconds). */
  readonly readyAt: number | undefined
}

/** A created pod, which may replace another. */
interface CreatedPod {
  readonly pod: string
  readonly at: number
  node?: string
  readyAt?: number
}

/**
 * Pairs each deleted pod with the next pod that its owner created. It skips deletions by the workload's own controller. `initial` are the
 * owners of the pods that existed at the start.
 */
export const findMoves = (trace: ReadonlyArray<TraceEntry>, initial: Owners = noOwners): ReadonlyArray<Move> => {
  const owners = ownersOf(trace, initial)
  const createdByOwner = new Map<string, Array<CreatedPod>>()
  const createdByPod = new Map<string, CreatedPod>()
  const deletions: Array<Omit<Move, "owner" | "replacement" | "replacementNode" | "readyAt">> = []
  const deleted = new Set<string>()
  for (const entry of trace) {
    if (!("pod" in entry)) continue
    const key = inNamespace(entry.namespace, entry.pod)
    if (entry.type === "PodCreated") {
      const pod: CreatedPod = { pod: entry.pod, at: entry.at }
      createdByPod.set(key, pod)
      if (entry.owner !== null) {
        const owner = inNamespace(entry.namespace, entry.owner)
        const list = createdByOwner.get(owner)
        if (list === undefined) createdByOwner.set(owner, [pod])
        else list.push(pod)
      }
    } else if (entry.type === "PodScheduled") {
      const pod = createdByPod.get(key)
      if (pod !== undefined) pod.node = entry.node
    } else if (entry.type === "PodReadyChanged" && entry.ready) {
      const pod = createdByPod.get(key)
      if (pod !== undefined && pod.readyAt === undefined) pod.readyAt = entry.at
    } else if (entry.type === "PodDeletionRequested" && entry.by !== "workload" && !deleted.has(key)) {
      deleted.add(key)
      deletions.push({ namespace: entry.namespace, pod: entry.pod, node: entry.node, at: entry.at, by: entry.by })
    }
  }
  // The index of the next created pod of each owner. Deletions are in time order, so a pod created before one replaces no later one either.
  const nextCandidate = new Map<string, number>()
  return deletions.map((move) => {
    const owner = owners.get(inNamespace(move.namespace, move.pod)) ?? null
    const key = inNamespace(move.namespace, owner ?? "")
    const candidates = createdByOwner.get(key) ?? []
    let index = nextCandidate.get(key) ?? 0
    while (index < candidates.length && (candidates[index]?.at ?? 0) < move.at) index++
    const next = candidates[index]
    nextCandidate.set(key, next === undefined ? index : index + 1)
    return { ...move, owner, replacement: next?.pod, replacementNode: next?.node, readyAt: next?.readyAt }
  })
}
