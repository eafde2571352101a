import type { ScenarioResult } from "@rollcall/simulator/result"
import { isEviction, type TraceEntry, type TraceEntryOf } from "@rollcall/simulator/result"
import { clock, plural, span } from "@rollcall/text"
import { rangeOf } from "../rangeOf.ts"
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

/** What was measured, once for each seed, in the words of a cell: one value, or the least and the greatest. */
type Tell = (value: number) => string

const cellOf = (values: ReadonlyArray<number | undefined>, tell: Tell): string => {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return "-"
  const [lowest, highest] = rangeOf(known)
  const [least, most] = [tell(lowest), tell(highest)]
  const range = least === most ? least : `${least} to ${most}`
  return known.length === values.length ? range : `${range}, or not`
}

const seconds: Tell = (value) => span(Math.round(value))

const measures: ReadonlyArray<readonly [what: string, of: (harm: Harm) => number | undefined, tell: Tell]> = [
  ["nodes that count as lost", ({ lost }) => lost, String],
  ["  the first after", ({ noticedAfter }) => noticedAfter, seconds],
  ["pods taken out of their Services", ({ notReady }) => notReady, String],
  ["pods evicted", ({ evicted }) => evicted, String],
  ["  the first after", ({ firstAfter }) => firstAfter, seconds],
  ["  the last after", ({ lastAfter }) => lastAfter, seconds],
  ["pods removed by force", ({ forced }) => forced, String],
  ["StatefulSet identities that ran twice", ({ twice }) => twice, String]
]

/** What one outage did in each column: a heading for each fault, then what it did. */
export interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

/** What a scenario came to in one column, once for each seed. */
export type Column = ReadonlyArray<ScenarioResult>

const ofFaults = (columns: ReadonlyArray<Column>): ReadonlyArray<Section> => {
  const all = columns.map((column) => column.map(harmsOf))
  return (all[0]?.[0] ?? []).map(({ fault }, index) => ({
    title: `${clock(fault.at)} ${fault.fault}${fault.nodes.length === 0 ? "" : ` of ${plural(fault.nodes.length, "node")}`}`,
    rows: measures.map(([what, of, tell]) => ({
      what,
      cells: all.map((column) =>
        cellOf(
          column.map((harms) => {
            const harm = harms[index]
            return harm === undefined ? undefined : of(harm)
          }),
          tell
        )
      )
    }))
  }))
}

const ofWorkloads = (columns: ReadonlyArray<Column>): Section => ({
  title: "workloads",
  rows: (columns[0]?.[0]?.summary.workloads ?? []).flatMap(({ kind, name, namespace }) => {
    const each = columns.map((column) =>
      column.map(({ summary }) =>
        summary.workloads.find(
          (workload) => workload.kind === kind && workload.name === name && workload.namespace === namespace
        )
      )
    )
    return [
      {
        what: `${kind} ${name}: fewest ready`,
        cells: each.map((found) =>
          cellOf(
            found.map((workload) => (workload?.neverAllReady === true ? undefined : workload?.minReady)),
            String
          )
        )
      },
      {
        what: "  short of replicas for",
        cells: each.map((found) =>
          cellOf(
            found.map((workload) => (workload?.neverAllReady === true ? undefined : workload?.unavailableSeconds)),
            seconds
          )
        )
      }
    ]
  })
})

const heldOf = (column: Column, index: number): string => {
  const held = column.filter(({ expectations }) => expectations[index]?.held === true).length
  if (held === column.length) return "held"
  return held === 0 ? "failed" : `held ${held} of ${column.length}`
}

const ofExpectations = (columns: ReadonlyArray<Column>): Section => ({
  title: "expectations",
  rows: (columns[0]?.[0]?.expectations ?? []).map(({ name }, index) => ({
    what: name,
    cells: columns.map((column) => heldOf(column, index))
  }))
})

/** What one scenario came to in each column: under several releases, or with several values of a setting. */
export const outageSections = (columns: ReadonlyArray<Column>): ReadonlyArray<Section> =>
  [...ofFaults(columns), ofWorkloads(columns), ofExpectations(columns)].filter(({ rows }) => rows.length > 0)
