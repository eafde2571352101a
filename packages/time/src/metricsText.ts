import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

type Snapshot = ReturnType<typeof Metric.snapshotUnsafe>[number]
type Labels = Readonly<Record<string, string>>

const escapeText = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const numberText = (value: number | bigint): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)

const labelsText = (labels: Labels, bound?: string): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`)
  if (bound !== undefined) pairs.push(`le="${bound}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/** Returns the samples of one series; none for a type of metric that Prometheus does not have. */
const samplesOf = (series: Snapshot): ReadonlyArray<string> => {
  const { attributes: labels = {}, id: name } = series
  switch (series.type) {
    case "Counter":
      return [`${name}${labelsText(labels)} ${numberText(series.state.count)}`]
    case "Gauge":
      return [`${name}${labelsText(labels)} ${numberText(series.state.value)}`]
    case "Histogram": {
      const { buckets, count, sum } = series.state
      return [
        ...buckets
          .filter(([bound]) => Number.isFinite(bound))
          .map(([bound, below]) => `${name}_bucket${labelsText(labels, String(bound))} ${below}`),
        `${name}_bucket${labelsText(labels, "+Inf")} ${count}`,
        `${name}_sum${labelsText(labels)} ${numberText(sum)}`,
        `${name}_count${labelsText(labels)} ${count}`
      ]
    }
    default:
      return []
  }
}

/**
 * Formats the metrics of these contexts in Prometheus' text format 0.0.4, in order of their first occurrence. Effect's
 * own printer (`effect/observability/PrometheusMetrics`) loads Effect's HTTP server: 20 MiB and 220 ms for each
 * component (`pnpm bench libraries`).
 */
export const metricsText = (...contexts: ReadonlyArray<Context.Context<never>>): string => {
  const families = new Map<string, Array<Snapshot>>()
  for (const context of contexts) {
    for (const series of Metric.snapshotUnsafe(context)) {
      const family = families.get(series.id)
      if (family === undefined) families.set(series.id, [series])
      else family.push(series)
    }
  }
  let text = ""
  for (const [name, family] of families) {
    const samples = family.flatMap(samplesOf)
    const [first] = family
    if (samples.length === 0 || first === undefined) continue
    if (first.description !== undefined) text += `# HELP ${name} ${escapeText(first.description)}\n`
    text += `# TYPE ${name} ${first.type.toLowerCase()}\n${samples.join("\n")}\n`
  }
  return text
}

/** Returns a separate metrics registry: its counts are in no other context. */
export const metricsContext = (): Context.Context<never> => Metric.MetricRegistry.context(new Map())
