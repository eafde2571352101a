import type { TraceEntry } from "@rollcall/simulator"

/** An event with its subject, in seconds after the fault. */
export interface OutageEvent {
  readonly what: string
  readonly seconds: number
}

/** The times of an event in the two runs, in seconds after the fault. Undefined in a run without the event. */
export interface Row {
  readonly what: string
  readonly rehearsed: number | undefined
  readonly live: number | undefined
}

/** The differences between a rehearsal and a live run. */
export interface OutageComparison {
  readonly rows: ReadonlyArray<Row>
  /** Events in only one of the two runs. */
  readonly inOneRun: ReadonlyArray<Row>
  /** Pairs with a clear order in the rehearsal that happened in the opposite order live. */
  readonly swapped: ReadonlyArray<readonly [string, string]>
  /** The largest difference between the two times of an event. */
  readonly largestSeconds: number
}

const textOf = (entry: TraceEntry): string | undefined => {
  switch (entry.type) {
    case "ConditionChanged":
      return entry.from === null ? undefined : `node ${entry.node}: ${entry.condition} ${entry.from} to ${entry.to}`
    case "TaintAdded":
      return `node ${entry.node}: tainted ${entry.key}:${entry.effect}`
    case "TaintRemoved":
      return `node ${entry.node}: no longer ${entry.key}:${entry.effect}`
    case "PodReadyChanged":
      return `pod ${entry.pod}: ${entry.ready ? "Ready" : "not Ready"}`
    case "PodDeletionRequested":
      return `pod ${entry.pod} on ${entry.node}: to be deleted within ${entry.gracePeriodSeconds} s`
    case "PodDeleted":
      return `pod ${entry.pod} on ${entry.node}: gone`
    default:
      return undefined
  }
}

/** Returns the events of a trace from the fault on; repeated events are numbered. */
export const eventsOf = (trace: ReadonlyArray<TraceEntry>, faultAt: number): ReadonlyArray<OutageEvent> => {
  const times = new Map<string, number>()
  return trace.flatMap((entry) => {
    const text = entry.at < faultAt ? undefined : textOf(entry)
    if (text === undefined) return []
    const count = (times.get(text) ?? 0) + 1
    times.set(text, count)
    return [{ what: count === 1 ? text : `${text} (${count})`, seconds: entry.at - faultAt }]
  })
}

const isInBoth = (row: Row): row is Row & { readonly rehearsed: number; readonly live: number } =>
  row.rehearsed !== undefined && row.live !== undefined

/**
 * Compares a live run with its rehearsal. Two events less than `apartSeconds` apart in the rehearsal
 * have no order.
 */
export const compareOutages = (
  rehearsed: ReadonlyArray<OutageEvent>,
  live: ReadonlyArray<OutageEvent>,
  apartSeconds: number
): OutageComparison => {
  const liveAt = new Map(live.map(({ seconds, what }) => [what, seconds]))
  const known = new Set(rehearsed.map(({ what }) => what))
  const rows: ReadonlyArray<Row> = [
    ...rehearsed.map(({ seconds, what }) => ({ what, rehearsed: seconds, live: liveAt.get(what) })),
    ...live
      .filter(({ what }) => !known.has(what))
      .map(({ seconds, what }) => ({ what, rehearsed: undefined, live: seconds }))
  ]
  const both = rows.filter(isInBoth)
  const swapped = both.flatMap((left) =>
    both
      .filter((right) => right.rehearsed - left.rehearsed > apartSeconds && right.live < left.live)
      .map((right) => [left.what, right.what] as const)
  )
  const differences = both.map((row) => Math.abs(row.live - row.rehearsed))
  return { rows, inOneRun: rows.filter((row) => !isInBoth(row)), swapped, largestSeconds: Math.max(0, ...differences) }
}

const seconds = (value: number | undefined): string =>
  (value === undefined ? "-" : `${value.toFixed(2)} s`).padStart(10)

/** Formats a comparison: one line for each event with its rehearsed time, live time and difference. */
export const tableOf = ({ rows }: OutageComparison): string => {
  const width = Math.max(...rows.map(({ what }) => what.length))
  const head = `${"from the fault on".padEnd(width)}${"rehearsed".padStart(11)}${"live".padStart(11)}${"difference".padStart(11)}`
  const lines = rows.map((row) => {
    const difference = isInBoth(row) ? row.live - row.rehearsed : undefined
    return `${row.what.padEnd(width)} ${seconds(row.rehearsed)} ${seconds(row.live)} ${seconds(difference)}`
  })
  return [head, ...lines].join("\n")
}
