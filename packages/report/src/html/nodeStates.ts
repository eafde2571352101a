import type { TraceEntry } from "@rollcall/simulator/result"

/** How a node looks from the control plane. */
export type NodeState = "ready" | "not-ready" | "tainted" | "absent"

/** A state and how long it lasted, in virtual seconds. */
export interface Stretch {
  readonly state: NodeState
  readonly from: number
  readonly to: number
}

interface Known {
  registered: boolean
  ready: boolean
  /** Taints that make pods leave. */
  readonly noExecute: Set<string>
  readonly changes: Array<{ readonly at: number; readonly state: NodeState }>
}

const stateOf = ({ noExecute, ready, registered }: Known): NodeState => {
  if (!registered) return "absent"
  if (noExecute.size > 0) return "tainted"
  return ready ? "ready" : "not-ready"
}

/** What was true before the trace began: nobody registers a node that was there, or makes it Ready. */
const begun = (entry: TraceEntry): Known => {
  const registers = entry.type === "NodeRegistered"
  return { registered: !registers, ready: !registers, noExecute: new Set(), changes: [] }
}

const apply = (known: Known, entry: TraceEntry): void => {
  switch (entry.type) {
    case "NodeRegistered":
      known.registered = true
      known.ready = false
      known.noExecute.clear()
      return
    case "NodeDeleted":
      known.registered = false
      return
    case "ConditionChanged":
      if (entry.condition === "Ready") known.ready = entry.to === "True"
      return
    case "TaintAdded":
      if (entry.effect === "NoExecute") known.noExecute.add(entry.key)
      return
    case "TaintRemoved":
      if (entry.effect === "NoExecute") known.noExecute.delete(entry.key)
      return
  }
}

const tells = (
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

const stretchesOf = ({ changes }: Known, end: number): ReadonlyArray<Stretch> =>
  changes
    .map(({ at, state }, index) => ({ state, from: at, to: changes[index + 1]?.at ?? end }))
    .filter(({ from, to }) => to > from)

/** The states of each node over the run; of nodes that nothing happened to too, where they are named. */
export const nodeStates = (
  trace: ReadonlyArray<TraceEntry>,
  nodes: ReadonlyArray<string>,
  end: number
): ReadonlyMap<string, ReadonlyArray<Stretch>> => {
  const all = new Map<string, Known>()
  for (const entry of trace) {
    if (!tells(entry)) continue
    let known = all.get(entry.node)
    if (known === undefined) {
      known = begun(entry)
      known.changes.push({ at: 0, state: stateOf(known) })
      all.set(entry.node, known)
    }
    apply(known, entry)
    const state = stateOf(known)
    if (known.changes.at(-1)?.state === state) continue
    if (known.changes.at(-1)?.at === entry.at) known.changes.pop()
    if (known.changes.at(-1)?.state !== state) known.changes.push({ at: entry.at, state })
  }
  const quiet: ReadonlyArray<Stretch> = [{ state: "ready", from: 0, to: end }]
  const names = [...new Set([...nodes, ...all.keys()])]
  return new Map(
    names.map((name) => {
      const known = all.get(name)
      return [name, known === undefined ? quiet : stretchesOf(known, end)]
    })
  )
}
