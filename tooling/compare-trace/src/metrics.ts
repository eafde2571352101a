import { type Difference, variationOf } from "./Comparison.ts"
import type { Observed } from "./observed.ts"
import type { MetricsEntry, Recording, Run } from "./Recording.ts"
import { passSeconds } from "./times.ts"

const FIELDS = ["size", "unhealthy", "health", "evictions"] as const
type Field = (typeof FIELDS)[number]

/** Metrics are scraped each second: what lasts hardly longer may be seen or not, and what is seen may be one second old. */
const SCRAPE_SECONDS = 1
const FLEETING_SECONDS = 1.5 * SCRAPE_SECONDS

interface Value {
  readonly value: number
  readonly at: number
  /** How long it was seen. */
  readonly seconds: number
}

/** The values that one metric of a zone takes from the start on, one after the other; the first is what it began with. */
const courseOf = (
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

/** The values of one course that lasted, and that the other does not take in the same order. */
const missingIn = (
  course: ReadonlyArray<Value>,
  other: ReadonlyArray<Value>,
  allowedSeconds: number
): ReadonlyArray<Value> => {
  let position = 0
  return course.filter(({ at, seconds, value }, index) => {
    const found = other.findIndex((twin, place) => place >= position && twin.value === value)
    if (found < 0) return seconds >= FLEETING_SECONDS
    position = found
    // When the first value began is not seen.
    return index > 0 && found > 0 && Math.abs((other[found]?.at ?? 0) - at) > allowedSeconds
  })
}

/** Where the recorded runs themselves differ in how often it counts, only how much it counts in the end can be compared. */
const isNear = (expected: ReadonlyArray<Value>, actual: ReadonlyArray<Value>, variation: number): boolean =>
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
      const expected = courseOf(recording.metrics, zone, field, theirStart)
      const actual = courseOf(run.metrics, zone, field, ourStart)
      const variation = field === "evictions" ? tainted : 0
      compared += expected.length
      const agrees =
        variation > 0
          ? isNear(expected, actual, variation)
          : isNear(expected, actual, 0) &&
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

/** What was counted in the end, where the run was scraped: a rehearsal's result has no counters. */
const compareCounters = (recording: Recording, run: Run): Observed => {
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
 * Each metric of each zone takes the values that were scraped, in their order, at their times (but for the phase of a pass and of a
 * scrape), and no others that last; and each counter ends as recorded.
 */
export const compareMetrics = (recording: Recording, run: Run, theirStart: number, ourStart: number): Observed => {
  const zones = compareZones(recording, run, theirStart, ourStart)
  const counters = compareCounters(recording, run)
  return {
    compared: zones.compared + counters.compared,
    differences: [...zones.differences, ...counters.differences]
  }
}
