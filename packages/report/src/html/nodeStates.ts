import type { TraceEntry } from "@rollcall/simulator/result"

/** The state of a node in the control plane. */
export type NodeState = "ready" | "not-ready" | "tainted" | "absent"

/** A state with its start and end, in virtual seconds. */
export interface StateSpan {
  readonly state: NodeState
  readonly from: number
  readonly to: number
}

interface NodeTrack {
  registered: boolean
  ready: boolean
  /** The keys of its NoExecute taints. */
  readonly noExecute: Set<string>
  readonly changes: Array<{ readonly at: number; readonly state: NodeState }>
}

const stateOf = ({ noExecute, ready, registered }: NodeTrack): NodeState => {
  if (!registered) return "absent"
  if (noExecute.size > 0) return "tainted"
  return ready ? "ready" : "not-ready"
}

/** Returns the state before a node's first entry: unless that is its registration, the node was registered and Ready from the start. */
const initialTrack = (entry: TraceEntry): NodeTrack => {
  const registers = entry.type === "NodeRegistered"
  return { registered: !registers, ready: !registers, noExecute: new Set(), changes: [] }
}

const apply = (track: NodeTrack, entry: TraceEntry): void => {
  switch (entry.type) {
    case "NodeRegistered":
      track.registered = true
      track.ready = false
      track.noExecute.clear()
      return
    case "NodeDeleted":
      track.registered = false
      return
    case "ConditionChanged":
      if (entry.condition === "Ready") track.ready = entry.to === "True"
      return
    case "TaintAdded":
      if (entry.effect === "NoExecute") track.noExecute.add(entry.key)
      return
    case "TaintRemoved":
      if (entry.effect === "NoExecute") track.noExecute.delete(entry.key)
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

const stateSpansOf = ({ changes }: NodeTrack, end: number): ReadonlyArray<StateSpan> =>
  changes
    .map(({ at, state }, index) => ({ state, from: at, to: changes[index + 1]?.at ?? end }))
    .filter(({ from, to }) => to > from)

/** Returns the states of each node over the run; `nodes` adds nodes without any entry in the trace. */
export const nodeStates = (
  trace: ReadonlyArray<TraceEntry>,
  nodes: ReadonlyArray<string>,
  end: number
): ReadonlyMap<string, ReadonlyArray<StateSpan>> => {
  const all = new Map<string, NodeTrack>()
  for (const entry of trace) {
    if (!isNodeEntry(entry)) continue
    let track = all.get(entry.node)
    if (track === undefined) {
      track = initialTrack(entry)
      track.changes.push({ at: 0, state: stateOf(track) })
      all.set(entry.node, track)
    }
    apply(track, entry)
    const state = stateOf(track)
    if (track.changes.at(-1)?.state === state) continue
    if (track.changes.at(-1)?.at === entry.at) track.changes.pop()
    if (track.changes.at(-1)?.state !== state) track.changes.push({ at: entry.at, state })
  }
  const quiet: ReadonlyArray<StateSpan> = [{ state: "ready", from: 0, to: end }]
  const names = [...new Set([...nodes, ...all.keys()])]
  return new Map(
    names.map((name) => {
      const track = all.get(name)
      return [name, track === undefined ? quiet : stateSpansOf(track, end)]
    })
  )
}
