import type { TraceEntry } from "@rollcall/simulator/result"
import { inNamespace, noOwners, type Owners, ownersOf } from "./owners.ts"

/** A deleted pod and its replacement. */
export interface Move {
  readonly namespace: string
  readonly pod: string
  readonly node: string
  readonly at: number
  readonly why: string
  readonly owner: string | null
  readonly replacement: string | undefined
  readonly replacementNode: string | undefined
  /** When the replacement became ready (virtual seconds). */
  readonly readyAt: number | undefined
}

interface Replacement {
  readonly pod: string
  readonly at: number
  node?: string
  readyAt?: number
}

/**
 * Pairs each deleted pod with the next pod that its owner created. Deletions by the workload's own controller are left out. `initial`:
 * the owners of the pods that existed at the start.
 */
export const findMoves = (trace: ReadonlyArray<TraceEntry>, initial: Owners = noOwners): ReadonlyArray<Move> => {
  const owners = ownersOf(trace, initial)
  const created = new Map<string, Array<Replacement>>()
  const byPod = new Map<string, Replacement>()
  const gone: Array<Omit<Move, "owner" | "replacement" | "replacementNode" | "readyAt">> = []
  const seen = new Set<string>()
  for (const entry of trace) {
    if (!("pod" in entry)) continue
    const key = inNamespace(entry.namespace, entry.pod)
    if (entry.type === "PodCreated") {
      const replacement: Replacement = { pod: entry.pod, at: entry.at }
      byPod.set(key, replacement)
      if (entry.owner !== null) {
        const owner = inNamespace(entry.namespace, entry.owner)
        const list = created.get(owner)
        if (list === undefined) created.set(owner, [replacement])
        else list.push(replacement)
      }
    } else if (entry.type === "PodScheduled") {
      const replacement = byPod.get(key)
      if (replacement !== undefined) replacement.node = entry.node
    } else if (entry.type === "PodReadyChanged" && entry.ready) {
      const replacement = byPod.get(key)
      if (replacement !== undefined && replacement.readyAt === undefined) replacement.readyAt = entry.at
    } else if (entry.type === "PodDeletionRequested" && entry.by !== "workload" && !seen.has(key)) {
      seen.add(key)
      gone.push({ namespace: entry.namespace, pod: entry.pod, node: entry.node, at: entry.at, why: entry.by })
    }
  }
  // Deletions are in time order: a pod created before one deletion cannot replace any later one either.
  const passed = new Map<string, number>()
  return gone.map((move) => {
    const owner = owners.get(inNamespace(move.namespace, move.pod)) ?? null
    const key = inNamespace(move.namespace, owner ?? "")
    const candidates = created.get(key) ?? []
    let index = passed.get(key) ?? 0
    while (index < candidates.length && (candidates[index]?.at ?? 0) < move.at) index++
    const next = candidates[index]
    passed.set(key, next === undefined ? index : index + 1)
    return { ...move, owner, replacement: next?.pod, replacementNode: next?.node, readyAt: next?.readyAt }
  })
}
