import { familiesText, type Sample } from "@rollcall/time"
import type { PodRecord } from "../pod/PodRecord.ts"
import { probeCounts } from "../prober/probeCounts.ts"
import type { ProbeKind } from "../runtime/ProbeOutcomes.ts"

const types: Readonly<Record<ProbeKind, string>> = { liveness: "Liveness", readiness: "Readiness", startup: "Startup" }

/** Prometheus' default buckets. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface ProbeSeries {
  readonly totals: ReadonlyArray<Sample>
  readonly durations: ReadonlyArray<Sample>
}

const seriesOf = ({ lifecycle, pod: { metadata } }: PodRecord, nowMs: number): ReadonlyArray<ProbeSeries> => {
  const { name = "", namespace = "", uid = "" } = metadata
  return (lifecycle?.containers ?? []).flatMap(({ container, probes, startedAtMs }) =>
    probes.map(({ kind, outcome, timing }): ProbeSeries => {
      const { failed, passed } = probeCounts(kind, timing, outcome, nowMs - startedAtMs)
      const common = [
        ["container", container.name],
        ["namespace", namespace],
        ["pod", name]
      ] as const
      const type = ["probe_type", types[kind]] as const
      const total = (result: string, value: number): Sample => ({
        labels: [...common, ["pod_uid", uid], type, ["result", result]],
        value
      })
      const results = [total("failed", failed), total("successful", passed)]
      // A modelled check takes no time.
      const buckets = bounds.map((bound) => [bound, passed] as const)
      const durations = [{ labels: [...common, type], value: { count: passed, sum: 0, buckets } }]
      return {
        totals: results.filter(({ value }) => value !== 0),
        durations: passed === 0 ? [] : durations
      }
    })
  )
}

/**
 * Returns `/metrics/probes`: the checks of the present runs of containers, counted when they are read. Upstream:
 * pkg/kubelet/prober/prober_manager.go.
 */
export const probeMetrics = (records: Iterable<PodRecord>, nowMs: number): string => {
  const series = Array.from(records).flatMap((record) => seriesOf(record, nowMs))
  const durations = series.flatMap((one) => one.durations)
  const totals = series.flatMap((one) => one.totals)
  const family = (name: string, help: string, type: "counter" | "histogram", samples: ReadonlyArray<Sample>) =>
    samples.length === 0 ? [] : [{ name, help, type, samples }]
  return familiesText([
    ...family(
      "prober_probe_duration_seconds",
      "[ALPHA] Duration in seconds for a probe response.",
      "histogram",
      durations
    ),
    ...family(
      "prober_probe_total",
      "[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.",
      "counter",
      totals
    )
  ])
}
