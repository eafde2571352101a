import type { ScenarioResult } from "@rollcall/simulator/result"
import { isEviction, type TraceEntry, type TraceEntryOf } from "@rollcall/simulator/result"
import { clock, plural, span } from "@rollcall/text"
import { completionsOf } from "../completions.ts"
import { inNamespace } from "../owners.ts"
import { rangeOf } from "../rangeOf.ts"
import type { Row } from "./releaseTable.ts"

/**
 * The effects of one fault until the next one began, with the evictions that were planned by then. Numbers of nodes or pods; times in
 * seconds after the start of the fault.
 */
interface FaultEffects {
  readonly fault: TraceEntryOf<"FaultStarted">
  /** Nodes whose Ready condition was no longer True. */
  readonly lost: number
  /** When the first of them was; undefined if there is none. */
  readonly noticedAfter: number | undefined
  /** Pods that became not Ready, and had not completed. */
  readonly notReady: number
  readonly evicted: number
  /** When the first pod was evicted; undefined if none was. */
  readonly firstAfter: number | undefined
  readonly lastAfter: number | undefined
  /** Pods that were deleted by force because their node is lost. */
  readonly forced: number
  /** StatefulSet identities with two pods that ran at once. */
  readonly splitBrains: number
}

/** Returns whether a node is no longer Ready. */
const isLoss = (entry: TraceEntry): entry is TraceEntryOf<"ConditionChanged"> =>
  entry.type === "ConditionChanged" && entry.condition === "Ready" && entry.from === "True"

/** The eviction of a pod. */
interface Eviction {
  readonly entry: TraceEntryOf<"PodDeletionRequested">
  /** The place in the trace where it was planned: the pod's tolerationSeconds began there. */
  readonly plannedAt: number
}

const evictionsOf = (trace: ReadonlyArray<TraceEntry>): ReadonlyArray<Eviction> => {
  const planned = new Map<string, number>()
  return trace.flatMap((entry, index) => {
    if (entry.type === "PodEvictionScheduled") planned.set(inNamespace(entry.namespace, entry.pod), index)
    if (entry.type !== "PodDeletionRequested" || !isEviction(entry.by)) return []
    return [{ entry, plannedAt: planned.get(inNamespace(entry.namespace, entry.pod)) ?? index }]
  })
}

/**
 * `entries` are the trace from the fault until the next one, `deletions` the evictions that were planned then, and `completions` those of
 * the whole trace.
 */
const effectsOf = (
  fault: TraceEntryOf<"FaultStarted">,
  entries: ReadonlyArray<TraceEntry>,
  deletions: ReadonlyArray<TraceEntryOf<"PodDeletionRequested">>,
  completions: ReadonlySet<TraceEntry>
): FaultEffects => {
  const losses = entries.filter(isLoss)
  const evictions = deletions.filter(({ gracePeriodSeconds }) => gracePeriodSeconds > 0)
  const after = (entry: TraceEntry | undefined) => (entry === undefined ? undefined : entry.at - fault.at)
  return {
    fault,
    lost: new Set(losses.map(({ node }) => node)).size,
    noticedAfter: after(losses[0]),
    notReady: entries.filter((entry) => entry.type === "PodReadyChanged" && !entry.ready && !completions.has(entry))
      .length,
    evicted: evictions.length,
    firstAfter: after(evictions[0]),
    lastAfter: after(evictions.at(-1)),
    forced: deletions.length - evictions.length,
    splitBrains: entries.filter(({ type }) => type === "SplitBrain").length
  }
}

const faultEffectsOf = ({ trace }: ScenarioResult): ReadonlyArray<FaultEffects> => {
  const starts = trace.flatMap((entry, index) => (entry.type === "FaultStarted" ? [[index, entry] as const] : []))
  const [evictions, completions] = [evictionsOf(trace), completionsOf(trace)]
  return starts.map(([index, fault], at) => {
    const end = starts[at + 1]?.[0] ?? trace.length
    const planned = evictions.filter(({ plannedAt }) => plannedAt >= index && plannedAt < end)
    return effectsOf(
      fault,
      trace.slice(index, end),
      planned.map(({ entry }) => entry),
      completions
    )
  })
}

/** Formats one value of a measure. */
type Format = (value: number) => string

/**
 * Returns the text of a cell: the value, or the least and the greatest over all seeds. `-` if no seed has a value; `, or not` if some have
 * none.
 */
const cellOf = (values: ReadonlyArray<number | undefined>, format: Format): string => {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return "-"
  const [lowest, highest] = rangeOf(known)
  const [least, most] = [format(lowest), format(highest)]
  const range = least === most ? least : `${least} to ${most}`
  return known.length === values.length ? range : `${range}, or not`
}

const spanText: Format = (value) => span(Math.round(value))

const measures: ReadonlyArray<
  readonly [what: string, of: (effect: FaultEffects) => number | undefined, format: Format]
> = [
  ["nodes that count as lost", ({ lost }) => lost, String],
  ["  the first after", ({ noticedAfter }) => noticedAfter, spanText],
  ["pods removed from their Services", ({ notReady }) => notReady, String],
  ["pods evicted", ({ evicted }) => evicted, String],
  ["  the first after", ({ firstAfter }) => firstAfter, spanText],
  ["  the last after", ({ lastAfter }) => lastAfter, spanText],
  ["pods force-deleted", ({ forced }) => forced, String],
  ["StatefulSet identities with a split brain", ({ splitBrains }) => splitBrains, String]
]

/** One part of a comparison: a heading with its rows, for example a fault with its effects. */
export interface ComparisonSection {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

/** The results of one column: one for each seed, in the same order in all columns. */
export type Column = ReadonlyArray<ScenarioResult>

const faultSections = (columns: ReadonlyArray<Column>): ReadonlyArray<ComparisonSection> => {
  const effectsByColumn = columns.map((column) => column.map(faultEffectsOf))
  return (effectsByColumn[0]?.[0] ?? []).map(({ fault }, index) => ({
    title: `${clock(fault.at)} ${fault.fault}${fault.nodes.length === 0 ? "" : ` of ${plural(fault.nodes.length, "node")}`}`,
    rows: measures.map(([what, of, format]) => ({
      what,
      cells: effectsByColumn.map((column) =>
        cellOf(
          column.map((effects) => {
            const effect = effects[index]
            return effect === undefined ? undefined : of(effect)
          }),
          format
        )
      )
    }))
  }))
}

const workloadSection = (columns: ReadonlyArray<Column>): ComparisonSection => ({
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
            spanText
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

const expectationSection = (columns: ReadonlyArray<Column>): ComparisonSection => ({
  title: "expectations",
  rows: (columns[0]?.[0]?.expectations ?? []).map(({ name }, index) => ({
    what: name,
    cells: columns.map((column) => heldOf(column, index))
  }))
})

/** Returns the sections that compare the results of one scenario: faults, workloads, expectations. */
export const outageSections = (columns: ReadonlyArray<Column>): ReadonlyArray<ComparisonSection> =>
  [...faultSections(columns), workloadSection(columns), expectationSection(columns)].filter(
    ({ rows }) => rows.length > 0
  )
