import { type Difference, variationOf } from "./Comparison.ts"
import type { PartialComparison } from "./observed.ts"
import type { MetricsEntry, Recording, Run } from "./Recording.ts"
import { passSeconds } from "./times.ts"

const FIELDS = ["size", "unhealthy", "health", "evictions"] as const
type Field = (typeof FIELDS)[number]

/** The scrape interval of metrics. */
const SCRAPE_SECONDS = 1
/** A value that lasts less than this may be missed, and the time of a scraped value may differ by this. */
const FLEETING_SECONDS = 1.5 * SCRAPE_SECONDS

interface Value {
  readonly value: number
  readonly at: number
  /** The duration for which it was observed. */
  readonly seconds: number
}

/** Returns the sequence of values of one metric of a zone, from its value at `start`. */
const valuesOf = (
  metrics: ReadonlyArray<MetricsEntry>,
  zone: string,
  field: Field,
  start: number
): ReadonlyArray<Value> => {
  const known = metrics.filter(({ zones }) => zones?.[zone] !== undefined)
  const first = Math.max(
    0,
    known.findLastIndex(({ at }) => at < start)
  )
  return known
    .slice(first)
    .map(({ at, zones }) => ({ at, value: Math.round((zones?.[zone]?.[field] ?? 0) * 1000) / 1000 }))
    .filter(({ value }, index, values) => value !== values[index - 1]?.value)
    .map(({ at, value }, index, values) => ({
      at,
      value,
      seconds: (values[index + 1]?.at ?? Number.POSITIVE_INFINITY) - at
    }))
}

const textOf = (values: ReadonlyArray<Value>): string => values.map(({ at, value }) => `${value} from ${at}`).join(", ")

/** Returns the lasting values of one sequence that the other lacks in that order. */
const missingIn = (
  course: ReadonlyArray<Value>,
  other: ReadonlyArray<Value>,
  allowedSeconds: number
): ReadonlyArray<Value> => {
  let position = 0
  return course.filter(({ at, seconds, value }, index) => {
    const found = other.findIndex((candidate, place) => place >= position && candidate.value === value)
    if (found < 0) return seconds >= FLEETING_SECONDS
    position = found
    // The start of the first value is not observable.
    return index > 0 && found > 0 && Math.abs((other[found]?.at ?? 0) - at) > allowedSeconds
  })
}

/** Returns whether the final values of two sequences differ by at most the variation of the recorded runs. */
const endsNear = (expected: ReadonlyArray<Value>, actual: ReadonlyArray<Value>, variation: number): boolean =>
  Math.abs((expected.at(-1)?.value ?? 0) - (actual.at(-1)?.value ?? 0)) <= variation

const compareZones = (
  recording: Recording,
  run: Run,
  theirStart: number,
  ourStart: number
): { readonly compared: number; readonly differences: ReadonlyArray<Difference> } => {
  const zones = [...new Set(recording.metrics.flatMap(({ zones: sample }) => Object.keys(sample ?? {})))]
  const tainted = variationOf(recording, "TaintAdded") + variationOf(recording, "TaintChanged")
  const allowedSeconds = passSeconds(recording) + FLEETING_SECONDS
  let compared = 0
  const differences: Array<Difference> = []
  for (const zone of zones) {
    for (const field of FIELDS) {
      const expected = valuesOf(recording.metrics, zone, field, theirStart)
      const actual = valuesOf(run.metrics, zone, field, ourStart)
      const variation = field === "evictions" ? tainted : 0
      compared += expected.length
      const agrees =
        variation > 0
          ? endsNear(expected, actual, variation)
          : endsNear(expected, actual, 0) &&
            missingIn(expected, actual, allowedSeconds).length + missingIn(actual, expected, allowedSeconds).length ===
              0
      if (agrees) continue
      const message = `${zone} ${field}: recorded ${textOf(expected)}; here ${textOf(actual)}`
      differences.push({ check: "metric", message })
    }
  }
  return { compared, differences }
}

const lastCounters = (run: Run): Readonly<Record<string, number>> => run.metrics.at(-1)?.counters ?? {}

/** Compares the final counters of scraped runs: a rehearsal's result has none. */
const compareCounters = (recording: Recording, run: Run): PartialComparison => {
  const [expected, actual] = [lastCounters(recording), lastCounters(run)]
  if (Object.keys(actual).length === 0) return { compared: 0, differences: [] }
  const variation = variationOf(recording, "PodDeletionRequested")
  const differences = Object.entries(expected)
    .filter(([name, value]) => Math.abs((actual[name] ?? 0) - value) > variation)
    .map(([name, value]) => ({
      check: "metric" as const,
      message: `${name}: recorded ${value}, here ${actual[name] ?? "none"}`
    }))
  return { compared: Object.keys(expected).length, differences }
}

/**
 * Compares the metrics of each zone: the run must have the recorded values in their order and at their times, except for the phase of a
 * pass and of a scrape, and no other lasting values. Compares the final value of each counter.
 */
export const compareMetrics = (
  recording: Recording,
  run: Run,
  theirStart: number,
  ourStart: number
): PartialComparison => {
  const zones = compareZones(recording, run, theirStart, ourStart)
  const counters = compareCounters(recording, run)
  return {
    compared: zones.compared + counters.compared,
    differences: [...zones.differences, ...counters.differences]
  }
}
