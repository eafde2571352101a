import type { ScenarioResult } from "../Result.ts"
import { clock, plural, span } from "../report/format.ts"
import { isEviction, type TraceEntry, type TraceEntryOf } from "../trace/TraceEntry.ts"
import type { Row } from "./releaseTable.ts"

/** What one fault did until the next one began. */
interface Harm {
  readonly fault: TraceEntryOf<"FaultStarted">
  readonly lost: number
  readonly noticedAfter: number | undefined
  readonly notReady: number
  readonly evicted: number
  readonly firstAfter: number | undefined
  readonly lastAfter: number | undefined
  readonly forced: number
  /** Identities of a StatefulSet of which two pods ran at once. */
  readonly twice: number
}

const isLoss = (entry: TraceEntry): entry is TraceEntryOf<"ConditionChanged"> =>
  entry.type === "ConditionChanged" && entry.condition === "Ready" && entry.from === "True"

const harmOf = (fault: TraceEntryOf<"FaultStarted">, within: ReadonlyArray<TraceEntry>): Harm => {
  const losses = within.filter(isLoss)
  const deletions = within.filter(
    (entry): entry is TraceEntryOf<"PodDeletionRequested"> =>
      entry.type === "PodDeletionRequested" && isEviction(entry.by)
  )
  const asked = deletions.filter(({ gracePeriodSeconds }) => gracePeriodSeconds > 0)
  const after = (entry: TraceEntry | undefined) => (entry === undefined ? undefined : entry.at - fault.at)
  return {
    fault,
    lost: new Set(losses.map(({ node }) => node)).size,
    noticedAfter: after(losses[0]),
    notReady: within.filter((entry) => entry.type === "PodReadyChanged" && !entry.ready).length,
    evicted: asked.length,
    firstAfter: after(asked[0]),
    lastAfter: after(asked.at(-1)),
    forced: deletions.length - asked.length,
    twice: within.filter(({ type }) => type === "SplitBrain").length
  }
}

const harmsOf = ({ trace }: ScenarioResult): ReadonlyArray<Harm> => {
  const starts = trace.flatMap((entry, index) => (entry.type === "FaultStarted" ? [[index, entry] as const] : []))
  return starts.map(([index, fault], at) => harmOf(fault, trace.slice(index, starts[at + 1]?.[0])))
}

const secondsOf = (value: number | undefined): string => (value === undefined ? "-" : span(Math.round(value)))

const measures: ReadonlyArray<readonly [what: string, tell: (harm: Harm) => string]> = [
  ["nodes that count as lost", ({ lost }) => String(lost)],
  ["  the first after", ({ noticedAfter }) => secondsOf(noticedAfter)],
  ["pods taken out of their Services", ({ notReady }) => String(notReady)],
  ["pods evicted", ({ evicted }) => String(evicted)],
  ["  the first after", ({ firstAfter }) => secondsOf(firstAfter)],
  ["  the last after", ({ lastAfter }) => secondsOf(lastAfter)],
  ["pods removed by force", ({ forced }) => String(forced)],
  ["StatefulSet identities that ran twice", ({ twice }) => String(twice)]
]

/** What one outage did under each release: a heading for each fault, then what it did. */
export interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

const ofFaults = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<Section> => {
  const all = results.map(harmsOf)
  return (all[0] ?? []).map(({ fault }, index) => ({
    title: `${clock(fault.at)} ${fault.fault}${fault.nodes.length === 0 ? "" : ` of ${plural(fault.nodes.length, "node")}`}`,
    rows: measures.map(([what, tell]) => ({
      what,
      cells: all.map((harms) => {
        const harm = harms[index]
        return harm === undefined ? "-" : tell(harm)
      })
    }))
  }))
}

const ofWorkloads = (results: ReadonlyArray<ScenarioResult>): Section => ({
  title: "workloads",
  rows: (results[0]?.summary.workloads ?? []).flatMap(({ kind, name, namespace }) => {
    const each = results.map(({ summary }) =>
      summary.workloads.find(
        (workload) => workload.kind === kind && workload.name === name && workload.namespace === namespace
      )
    )
    return [
      { what: `${kind} ${name}: fewest ready`, cells: each.map((workload) => String(workload?.minReady ?? "-")) },
      { what: "  short of replicas for", cells: each.map((workload) => secondsOf(workload?.unavailableSeconds)) }
    ]
  })
})

const ofExpectations = (results: ReadonlyArray<ScenarioResult>): Section => ({
  title: "expectations",
  rows: (results[0]?.expectations ?? []).map(({ name }, index) => ({
    what: name,
    cells: results.map(({ expectations }) => (expectations[index]?.held === true ? "held" : "failed"))
  }))
})

/** What one scenario came to under several releases, the results in the order of the columns. */
export const outageSections = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<Section> =>
  [...ofFaults(results), ofWorkloads(results), ofExpectations(results)].filter(({ rows }) => rows.length > 0)
