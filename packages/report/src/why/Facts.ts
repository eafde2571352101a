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
  /** The name of the fault or action: `partition`. */
  readonly what: string
  readonly nodes: ReadonlyArray<string>
  /** The same nodes as a set. */
  readonly nodeSet: ReadonlySet<string>
  /** Virtual seconds. */
  readonly from: number
  /** Its end, or the end of the run. */
  readonly to: number
  /** Whether it ended before the end of the run. */
  readonly ended: boolean
  /** Whether it is an action of a moment, which has no end of its own: all but `poweroff`. */
  readonly isMoment: boolean
  /** The parameters of the scenario's event. */
  readonly event: EventDetails | undefined
}

/** The facts about a run from which causes are found. */
export interface Facts {
  readonly result: ScenarioResult
  readonly trace: ReadonlyArray<TraceEntry>
  readonly rules: Rules
  readonly context: ReportContext
  readonly faultSpans: ReadonlyArray<FaultSpan>
  /** The changes of nodes' Ready conditions from True to Unknown. */
  readonly losses: ReadonlyArray<TraceEntryOf<"ConditionChanged">>
  /** The priority class, by the pod's name on its node, of static pods with a class name but no priority. */
  readonly classOnly: ReadonlyMap<string, string>
  /** The owners of the initial pods. */
  readonly owners: Owners
}

/**
 * Looks for one kind of cause in the facts, and returns sentences that explain it: the rule, its number, and what would change the outcome.
 * Returns none if the run has no such cause.
 */
export type Finder = (facts: Facts) => ReadonlyArray<string>

/** Returns the entries of one type. */
export const ofType = <Type extends TraceType>(trace: ReadonlyArray<TraceEntry>, type: Type) =>
  trace.filter((entry): entry is TraceEntryOf<Type> => entry.type === type)

/** Groups the entries of one type by pod (`namespace/name`), in time order. */
export const groupByPod = <Type extends TraceType>(
  trace: ReadonlyArray<TraceEntry>,
  type: Type
): ReadonlyMap<string, ReadonlyArray<TraceEntryOf<Type>>> =>
  Map.groupBy(ofType(trace, type), (entry) => ("pod" in entry ? inNamespace(entry.namespace, entry.pod) : ""))

/** Returns whether an entry is about the Ready condition. */
export const isReadyChange = ({ condition }: TraceEntryOf<"ConditionChanged">): boolean => condition === "Ready"

/** Returns the changes of nodes' Ready conditions from True to Unknown. */
export const lossesOf = (trace: ReadonlyArray<TraceEntry>): Facts["losses"] =>
  ofType(trace, "ConditionChanged").filter(
    (entry) => isReadyChange(entry) && entry.from === "True" && entry.to === "Unknown"
  )

/** Returns the faults and actions of a trace with their ends; `boot` ends `poweroff`. `events` are those of the scenario in time order. */
export const faultSpansOf = (
  trace: ReadonlyArray<TraceEntry>,
  events: ReadonlyArray<EventDetails>,
  end: number
): ReadonlyArray<FaultSpan> => {
  const faultSpans: Array<FaultSpan> = []
  const close = (what: string, nodes: ReadonlyArray<string>, at: number) => {
    const index = faultSpans.findIndex(
      // The entries of one fault list the same nodes in the same order.
      (fault) => !fault.ended && fault.what === what && nodes.join() === fault.nodes.join()
    )
    const fault = faultSpans[index]
    if (fault !== undefined) faultSpans[index] = { ...fault, to: at, ended: true }
  }
  /** The index of the next event of the scenario. */
  let eventIndex = 0
  for (const entry of trace) {
    if (entry.type === "FaultStarted" || (entry.type === "Action" && entry.do !== "boot")) {
      const what = entry.type === "Action" ? entry.do : entry.fault
      faultSpans.push({
        what,
        nodes: entry.nodes,
        nodeSet: new Set(entry.nodes),
        from: entry.at,
        to: end,
        ended: false,
        isMoment: entry.type === "Action" && entry.do !== "poweroff",
        event: events[eventIndex]
      })
    }
    if (entry.type === "FaultStarted" || entry.type === "Action") eventIndex++
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

const disconnectingFaults: ReadonlyArray<string> = ["partition", "kubelet-stop"]
const stoppingFaults: ReadonlyArray<string> = ["crash", "poweroff", "cloud-delete"]

/** Returns the intervals in which nodes send no heartbeats. Some also stop the containers (`stopsContainers`). */
export const silentSpans = ({ faultSpans }: Pick<Facts, "faultSpans">): ReadonlyArray<FaultSpan> =>
  faultSpans.filter(
    ({ nodes, what }) => nodes.length > 0 && (disconnectingFaults.includes(what) || stoppingFaults.includes(what))
  )

/** Returns whether the containers of the nodes stop too, and not only their heartbeats. */
export const stopsContainers = ({ what }: FaultSpan): boolean => stoppingFaults.includes(what)

/** Returns whether a fault affects a node at a time. */
export const isDuring = (fault: FaultSpan, node: string, at: number): boolean =>
  at >= fault.from && at <= fault.to && fault.nodeSet.has(node)
