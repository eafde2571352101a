import type { TraceEntry } from "@rollcall/simulator"

/** What happened to one thing, at so many seconds after the fault. */
export interface Moment {
  readonly what: string
  readonly seconds: number
}

export interface Row {
  readonly what: string
  readonly rehearsed: number | undefined
  readonly live: number | undefined
}

export interface OutageComparison {
  readonly rows: ReadonlyArray<Row>
  /** Happened in one world only. */
  readonly alone: ReadonlyArray<Row>
  /** Pairs that happened in one order in the rehearsal, clearly apart, and in the other order live. */
  readonly swapped: ReadonlyArray<readonly [string, string]>
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

/** What a trace tells from the fault on; the same thing for the second time is another thing. */
export const momentsOf = (trace: ReadonlyArray<TraceEntry>, faultAt: number): ReadonlyArray<Moment> => {
  const times = new Map<string, number>()
  return trace.flatMap((entry) => {
    const text = entry.at < faultAt ? undefined : textOf(entry)
    if (text === undefined) return []
    const count = (times.get(text) ?? 0) + 1
    times.set(text, count)
    return [{ what: count === 1 ? text : `${text} (${count})`, seconds: entry.at - faultAt }]
  })
}

const isWhole = (row: Row): row is Row & { readonly rehearsed: number; readonly live: number } =>
  row.rehearsed !== undefined && row.live !== undefined

/**
 * Holds what happened live against what the rehearsal said. Two things that were closer together than `apartSeconds` in the rehearsal
 * have no order.
 */
export const compareOutages = (
  rehearsed: ReadonlyArray<Moment>,
  live: ReadonlyArray<Moment>,
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
  const both = rows.filter(isWhole)
  const swapped = both.flatMap((left) =>
    both
      .filter((right) => right.rehearsed - left.rehearsed > apartSeconds && right.live < left.live)
      .map((right) => [left.what, right.what] as const)
  )
  const differences = both.map((row) => Math.abs(row.live - row.rehearsed))
  return { rows, alone: rows.filter((row) => !isWhole(row)), swapped, largestSeconds: Math.max(0, ...differences) }
}

const seconds = (value: number | undefined): string =>
  (value === undefined ? "-" : `${value.toFixed(2)} s`).padStart(10)

/** Event, rehearsed at, live at, difference: a line each. */
export const tableOf = ({ rows }: OutageComparison): string => {
  const width = Math.max(...rows.map(({ what }) => what.length))
  const head = `${"from the fault on".padEnd(width)}${"rehearsed".padStart(11)}${"live".padStart(11)}${"difference".padStart(11)}`
  const lines = rows.map((row) => {
    const difference = isWhole(row) ? row.live - row.rehearsed : undefined
    return `${row.what.padEnd(width)} ${seconds(row.rehearsed)} ${seconds(row.live)} ${seconds(difference)}`
  })
  return [head, ...lines].join("\n")
}
