import type { TraceEntry } from "@rollcall/simulator/result"

/** The state of a pod in the API. */
export type PodState = "pending" | "running" | "ready" | "terminating" | "ended" | "absent"

/** A state with its node, start and end, in virtual seconds. `node` is empty while the pod has none. */
export interface PodSpan {
  readonly state: PodState
  readonly node: string
  readonly from: number
  readonly to: number
}

interface PodHistory {
  created: boolean
  phase: string
  ready: boolean
  deleted: boolean
  node: string
  readonly changes: Array<{ readonly at: number; readonly state: PodState; readonly node: string }>
}

const stateOf = ({ created, deleted, phase, ready }: PodHistory): PodState => {
  if (!created) return "absent"
  if (phase === "Succeeded" || phase === "Failed") return "ended"
  if (deleted) return "terminating"
  if (phase !== "Running") return "pending"
  return ready ? "ready" : "running"
}

/** Returns the history before a pod's first entry. Unless that is its creation, the pod was there, and ready, from the start. */
const initialHistory = (entry: TraceEntry): PodHistory => {
  const isNew = entry.type === "PodCreated"
  return { created: !isNew, phase: "Running", ready: !isNew, deleted: false, node: "", changes: [] }
}

const applyEntry = (history: PodHistory, entry: TraceEntry): void => {
  switch (entry.type) {
    case "PodCreated":
      Object.assign(history, { created: true, phase: "Pending", ready: false, deleted: false, node: entry.node ?? "" })
      return
    case "PodScheduled":
      history.node = entry.node
      return
    case "PodPhaseChanged":
      history.phase = entry.to
      return
    case "PodReadyChanged":
      history.ready = entry.ready
      history.node = entry.node
      return
    case "PodDeletionRequested":
      history.deleted = true
      history.node = entry.node
      return
    case "PodDeleted":
      history.created = false
      return
  }
}

const applied: ReadonlySet<string> = new Set([
  "PodCreated",
  "PodScheduled",
  "PodPhaseChanged",
  "PodReadyChanged",
  "PodDeletionRequested",
  "PodDeleted"
])

/** Returns the states of each pod (`namespace/name`) of a trace over the run, until `end` (virtual seconds), in the order of their creation. */
export const podStates = (
  trace: ReadonlyArray<TraceEntry>,
  end: number
): ReadonlyMap<string, ReadonlyArray<PodSpan>> => {
  const histories = new Map<string, PodHistory>()
  for (const entry of trace) {
    if (!applied.has(entry.type) || !("pod" in entry)) continue
    const key = `${entry.namespace}/${entry.pod}`
    let history = histories.get(key)
    if (history === undefined) {
      history = initialHistory(entry)
      history.changes.push({ at: 0, state: stateOf(history), node: "node" in entry ? (entry.node ?? "") : "" })
      histories.set(key, history)
    }
    applyEntry(history, entry)
    const change = { at: entry.at, state: stateOf(history), node: history.node }
    const last = history.changes.at(-1)
    if (last?.state === change.state && last.node === change.node) continue
    if (last?.at === entry.at) history.changes.pop()
    history.changes.push(change)
  }
  return new Map(
    [...histories].map(([key, { changes }]) => [
      key,
      changes
        .map(({ at, node, state }, index) => ({ state, node, from: at, to: changes[index + 1]?.at ?? end }))
        .filter(({ from, to }) => to > from)
    ])
  )
}
