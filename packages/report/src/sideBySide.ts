import type { ScenarioResult, WorkloadSummary } from "@rollcall/simulator/result"
import { isEviction } from "@rollcall/simulator/result"
import { clock, columns, printable, span } from "@rollcall/text"
import { completionsOf } from "./completions.ts"
import { lossesOf, ofType } from "./why/Facts.ts"

const rowOf = (result: ScenarioResult): ReadonlyArray<string> => {
  const { summary, trace } = result
  const losses = lossesOf(trace)
  const completions = completionsOf(trace)
  const notReady = ofType(trace, "PodReadyChanged").filter((entry) => !entry.ready && !completions.has(entry))
  const evictions = ofType(trace, "PodDeletionRequested").filter(
    ({ by, gracePeriodSeconds }) => isEviction(by) && gracePeriodSeconds > 0
  )
  const shortFor = ({ neverAllReady, unavailableSeconds }: WorkloadSummary): number =>
    neverAllReady === true ? Number.POSITIVE_INFINITY : unavailableSeconds
  const [worst] = [...summary.workloads].sort((one, other) => {
    const [first, second] = [shortFor(one), shortFor(other)]
    return first === second ? 0 : second - first
  })
  return [
    result.metadata.name,
    String(new Set(losses.map(({ node }) => node)).size),
    String(new Set(notReady.map(({ namespace, pod }) => `${namespace}/${pod}`)).size),
    String(summary.evictions.total),
    evictions[0] === undefined ? "-" : clock(evictions[0].at),
    worst === undefined
      ? "-"
      : `${worst.kind} ${worst.name}, ${worst.neverAllReady === true ? "never all ready" : `${worst.minReady} at the least`}`,
    worst === undefined ? "-" : worst.neverAllReady === true ? "all the time" : span(worst.unavailableSeconds),
    String(result.warnings.length)
  ]
}

/** Returns a row of headings and one row of key figures for each run. */
export const sideBySideRows = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<ReadonlyArray<string>> => [
  ["SCENARIO", "NODES LOST", "PODS NOT READY", "EVICTED", "FROM", "MOST HURT", "SHORT FOR", "WARNINGS"],
  ...results.map(rowOf)
]

/** Renders the key figures of several runs as a text table, so that runs with and without a cause can be compared. */
export const renderSideBySide = (results: ReadonlyArray<ScenarioResult>): string =>
  printable(["SIDE BY SIDE", ...columns(sideBySideRows(results)), "", ""].join("\n"))
