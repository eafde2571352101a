import type { TraceEntry } from "@rollcall/simulator/result"

/** The state of a node in the control plane. */
export type NodeState = "ready" | "no-schedule" | "not-ready" | "tainted" | "absent"

/** A state with its start and end, in virtual seconds. */
export interface StateSpan {
  readonly state: NodeState
  readonly from: number
  readonly to: number
}

/** The current state of a node, and its changes so far. */
interface NodeHistory {
  registered: boolean
  ready: boolean
  /** The keys of its NoExecute taints. */
  readonly noExecute: Set<string>
  /** The keys of its NoSchedule taints that Kubernetes adds, such as those of pressure and of a cordon. */
  readonly noSchedule: Set<string>
  readonly changes: Array<{ readonly at: number; readonly state: NodeState }>
}

/** Matches the keys of the taints that Kubernetes adds by itself. */
const OWN_TAINT = /^node\.(cloudprovider\.)?kubernetes\.io\//

const stateOf = ({ noExecute, noSchedule, ready, registered }: NodeHistory): NodeState => {
  if (!registered) return "absent"
  if (noExecute.size > 0) return "tainted"
  if (!ready) return "not-ready"
  return noSchedule.size > 0 ? "no-schedule" : "ready"
}

/** Returns the history before a node's first entry. Unless that is its registration, the node was registered and Ready from the start. */
const initialHistory = (entry: TraceEntry): NodeHistory => {
  const registers = entry.type === "NodeRegistered"
  return { registered: !registers, ready: !registers, noExecute: new Set(), noSchedule: new Set(), changes: [] }
}

const applyEntry = (history: NodeHistory, entry: TraceEntry): void => {
  switch (entry.type) {
    case "NodeRegistered":
      history.registered = true
      history.ready = false
      history.noExecute.clear()
      history.noSchedule.clear()
      return
    case "NodeDeleted":
      history.registered = false
      return
    case "ConditionChanged":
      if (entry.condition === "Ready") history.ready = entry.to === "True"
      return
    case "TaintAdded":
      if (entry.effect === "NoExecute") history.noExecute.add(entry.key)
      if (entry.effect === "NoSchedule" && OWN_TAINT.test(entry.key)) history.noSchedule.add(entry.key)
      return
    case "TaintRemoved":
      if (entry.effect === "NoExecute") history.noExecute.delete(entry.key)
      if (entry.effect === "NoSchedule") history.noSchedule.delete(entry.key)
      return
  }
}

const isNodeEntry = (
  entry: TraceEntry
): entry is Extract<
  TraceEntry,
  { type: "NodeRegistered" | "NodeDeleted" | "ConditionChanged" | "TaintAdded" | "TaintRemoved" }
> =>
  entry.type === "NodeRegistered" ||
  entry.type === "NodeDeleted" ||
  entry.type === "ConditionChanged" ||
  entry.type === "TaintAdded" ||
  entry.type === "TaintRemoved"

const stateSpansOf = ({ changes }: NodeHistory, end: number): ReadonlyArray<StateSpan> =>
  changes
    .map(({ at, state }, index) => ({ state, from: at, to: changes[index + 1]?.at ?? end }))
    .filter(({ from, to }) => to > from)

/**
 * Returns the states of each node over the run, until `end` (virtual seconds). `nodes` are all nodes; those without an entry in the trace
 * were Ready throughout.
 */
export const nodeStates = (
  trace: ReadonlyArray<TraceEntry>,
  nodes: ReadonlyArray<string>,
  end: number
): ReadonlyMap<string, ReadonlyArray<StateSpan>> => {
  const histories = new Map<string, NodeHistory>()
  for (const entry of trace) {
    if (!isNodeEntry(entry)) continue
    let history = histories.get(entry.node)
    if (history === undefined) {
      history = initialHistory(entry)
      history.changes.push({ at: 0, state: stateOf(history) })
      histories.set(entry.node, history)
    }
    applyEntry(history, entry)
    const state = stateOf(history)
    if (history.changes.at(-1)?.state === state) continue
    if (history.changes.at(-1)?.at === entry.at) history.changes.pop()
    if (history.changes.at(-1)?.state !== state) history.changes.push({ at: entry.at, state })
  }
  const alwaysReady: ReadonlyArray<StateSpan> = [{ state: "ready", from: 0, to: end }]
  const names = [...new Set([...nodes, ...histories.keys()])]
  return new Map(
    names.map((name) => {
      const history = histories.get(name)
      return [name, history === undefined ? alwaysReady : stateSpansOf(history, end)]
    })
  )
}
