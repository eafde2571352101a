import type {
  EventDetails,
  Rules,
  ScenarioResult,
  TraceEntry,
  TraceEntryOf,
  TraceType
} from "@rollcall/simulator/result"
import { initialOwners, inNamespace, type Owners } from "../owners.ts"
import type { ThemeContext } from "../ThemeContext.ts"

/** A fault, or a machine switched off, from its beginning to its end. */
export interface Spell {
  readonly what: string
  readonly nodes: ReadonlyArray<string>
  /** The same nodes, to ask for one. */
  readonly on: ReadonlySet<string>
  readonly from: number
  /** The end of the run, for what does not end. */
  readonly to: number
  readonly ended: boolean
  readonly event: EventDetails | undefined
}

/** A run, as the causes in it are looked for. */
export interface Facts {
  readonly result: ScenarioResult
  readonly trace: ReadonlyArray<TraceEntry>
  readonly rules: Rules
  readonly context: ThemeContext
  readonly spells: ReadonlyArray<Spell>
  /** When each node's Ready went from True to Unknown. */
  readonly losses: ReadonlyArray<TraceEntryOf<"ConditionChanged">>
  /** Static pods of the plan that name a priority class and give no priority, by the names that they have on their nodes. */
  readonly classOnly: ReadonlyMap<string, string>
  /** The owners of the pods that were there when the run began. */
  readonly owners: Owners
}

/** A sentence or two on something that happened: which rule, which number, and what would change it. */
export type Finder = (facts: Facts) => ReadonlyArray<string>

export const ofType = <Type extends TraceType>(trace: ReadonlyArray<TraceEntry>, type: Type) =>
  trace.filter((entry): entry is TraceEntryOf<Type> => entry.type === type)

/** Entries of one type by pod (`inNamespace`), each pod's in order. */
export const ofPods = <Type extends TraceType>(
  trace: ReadonlyArray<TraceEntry>,
  type: Type
): ReadonlyMap<string, ReadonlyArray<TraceEntryOf<Type>>> =>
  Map.groupBy(ofType(trace, type), (entry) => ("pod" in entry ? inNamespace(entry.namespace, entry.pod) : ""))

export const isReady = ({ condition }: TraceEntryOf<"ConditionChanged">): boolean => condition === "Ready"

export const lossesOf = (trace: ReadonlyArray<TraceEntry>): Facts["losses"] =>
  ofType(trace, "ConditionChanged").filter((entry) => isReady(entry) && entry.from === "True" && entry.to === "Unknown")

/** Faults with their ends, and machines from `poweroff` to `boot`. */
export const spellsOf = (
  trace: ReadonlyArray<TraceEntry>,
  events: ReadonlyArray<EventDetails>,
  end: number
): ReadonlyArray<Spell> => {
  const spells: Array<Spell> = []
  const close = (what: string, nodes: ReadonlyArray<string>, at: number) => {
    const index = spells.findIndex(
      (spell) => !spell.ended && spell.what === what && nodes.join() === spell.nodes.join()
    )
    const spell = spells[index]
    if (spell !== undefined) spells[index] = { ...spell, to: at, ended: true }
  }
  let happened = 0
  for (const entry of trace) {
    if (entry.type === "FaultStarted" || (entry.type === "Action" && entry.do !== "boot")) {
      const what = entry.type === "Action" ? entry.do : entry.fault
      spells.push({
        what,
        nodes: entry.nodes,
        on: new Set(entry.nodes),
        from: entry.at,
        to: end,
        ended: false,
        event: events[happened]
      })
    }
    if (entry.type === "FaultStarted" || entry.type === "Action") happened++
    if (entry.type === "FaultEnded") close(entry.fault, entry.nodes, entry.at)
    if (entry.type === "Action" && entry.do === "boot") close("poweroff", entry.nodes, entry.at)
  }
  return spells
}

/** What of a result its causes are looked for in. */
export const factsOf = (result: ScenarioResult, context: ThemeContext): Facts => {
  const { classOnly, events, rules } = result.context
  const { trace } = result
  return {
    result,
    trace,
    rules,
    context,
    classOnly: new Map(Object.entries(classOnly)),
    owners: initialOwners(result),
    spells: spellsOf(trace, events, result.spec.durationSeconds),
    losses: lossesOf(trace)
  }
}

const cutting: ReadonlyArray<string> = ["partition", "kubelet-stop"]
const killing: ReadonlyArray<string> = ["crash", "poweroff", "cloud-delete"]

/** Spells in which nodes cannot be heard; in those that kill, their containers are gone too. */
export const silences = ({ spells }: Pick<Facts, "spells">): ReadonlyArray<Spell> =>
  spells.filter(({ nodes, what }) => nodes.length > 0 && (cutting.includes(what) || killing.includes(what)))

export const kills = ({ what }: Spell): boolean => killing.includes(what)

export const during = (spell: Spell, node: string, at: number): boolean =>
  at >= spell.from && at <= spell.to && spell.on.has(node)
