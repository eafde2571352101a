import type {
  EventDetails,
  Rules,
  ScenarioResult,
  TraceEntry,
  TraceEntryOf,
  TraceType
} from "@rollcall/simulator/result"
import { initialOwners, inNamespace, type Owners } from "../owners.ts"
import type { ReportContext } from "../ReportContext.ts"

/** The duration of a fault, or of an action such as `poweroff` (until `boot`), on some nodes. */
export interface FaultSpan {
  readonly what: string
  readonly nodes: ReadonlyArray<string>
  /** The same nodes as a set. */
  readonly on: ReadonlySet<string>
  readonly from: number
  /** Its end, or the end of the run. */
  readonly to: number
  readonly ended: boolean
  readonly event: EventDetails | undefined
}

/** The facts about a run from which causes are found. */
export interface Facts {
  readonly result: ScenarioResult
  readonly trace: ReadonlyArray<TraceEntry>
  readonly rules: Rules
  readonly context: ReportContext
  readonly faultSpans: ReadonlyArray<FaultSpan>
  /** When each node's Ready went from True to Unknown. */
  readonly losses: ReadonlyArray<TraceEntryOf<"ConditionChanged">>
  /** The priority class, by the pod's name on its node, of static pods with a class name but no priority. */
  readonly classOnly: ReadonlyMap<string, string>
  /** The owners of the initial pods. */
  readonly owners: Owners
}

/** Returns sentences on one kind of cause: the rule, its number, and what would change the outcome. */
export type Finder = (facts: Facts) => ReadonlyArray<string>

export const ofType = <Type extends TraceType>(trace: ReadonlyArray<TraceEntry>, type: Type) =>
  trace.filter((entry): entry is TraceEntryOf<Type> => entry.type === type)

/** Groups the entries of one type by pod (`inNamespace`), each pod's in time order. */
export const ofPods = <Type extends TraceType>(
  trace: ReadonlyArray<TraceEntry>,
  type: Type
): ReadonlyMap<string, ReadonlyArray<TraceEntryOf<Type>>> =>
  Map.groupBy(ofType(trace, type), (entry) => ("pod" in entry ? inNamespace(entry.namespace, entry.pod) : ""))

export const isReady = ({ condition }: TraceEntryOf<"ConditionChanged">): boolean => condition === "Ready"

export const lossesOf = (trace: ReadonlyArray<TraceEntry>): Facts["losses"] =>
  ofType(trace, "ConditionChanged").filter((entry) => isReady(entry) && entry.from === "True" && entry.to === "Unknown")

/** Returns the faults and actions with their ends; `boot` ends `poweroff`. */
export const faultSpansOf = (
  trace: ReadonlyArray<TraceEntry>,
  events: ReadonlyArray<EventDetails>,
  end: number
): ReadonlyArray<FaultSpan> => {
  const faultSpans: Array<FaultSpan> = []
  const close = (what: string, nodes: ReadonlyArray<string>, at: number) => {
    const index = faultSpans.findIndex(
      (fault) => !fault.ended && fault.what === what && nodes.join() === fault.nodes.join()
    )
    const fault = faultSpans[index]
    if (fault !== undefined) faultSpans[index] = { ...fault, to: at, ended: true }
  }
  let happened = 0
  for (const entry of trace) {
    if (entry.type === "FaultStarted" || (entry.type === "Action" && entry.do !== "boot")) {
      const what = entry.type === "Action" ? entry.do : entry.fault
      faultSpans.push({
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
  return faultSpans
}

/** Collects the facts of a result from which causes are found. */
export const factsOf = (result: ScenarioResult, context: ReportContext): Facts => {
  const { classOnly, events, rules } = result.context
  const { trace } = result
  return {
    result,
    trace,
    rules,
    context,
    classOnly: new Map(Object.entries(classOnly)),
    owners: initialOwners(result),
    faultSpans: faultSpansOf(trace, events, result.spec.durationSeconds),
    losses: lossesOf(trace)
  }
}

const disconnecting: ReadonlyArray<string> = ["partition", "kubelet-stop"]
const stopping: ReadonlyArray<string> = ["crash", "poweroff", "cloud-delete"]

/** Returns the intervals in which nodes send no heartbeats. Some also stop the containers (`stopsContainers`). */
export const silentSpans = ({ faultSpans }: Pick<Facts, "faultSpans">): ReadonlyArray<FaultSpan> =>
  faultSpans.filter(({ nodes, what }) => nodes.length > 0 && (disconnecting.includes(what) || stopping.includes(what)))

export const stopsContainers = ({ what }: FaultSpan): boolean => stopping.includes(what)

export const during = (fault: FaultSpan, node: string, at: number): boolean =>
  at >= fault.from && at <= fault.to && fault.on.has(node)
