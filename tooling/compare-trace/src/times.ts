import { type ComparedEntry, type Difference, variationOf } from "./Comparison.ts"
import type { Recording } from "./Recording.ts"

/** The tolerance for the time between a cause and its effect. */
const TOLERANCE_SECONDS = 0.3
/** A larger difference between the two recorded runs is one of numbers of entries, not of times, and does not count as variation. */
const MAX_SPREAD_SECONDS = 1.1
/** The same limit for delays since a cause, which do not include a phase, but only waits for the client's rate limit. */
const MAX_DELAY_SPREAD_SECONDS = 0.5
/** `gcCheckPeriod` of kube-controller-manager's pod garbage collector. */
const COLLECTION_SECONDS = 20

/** Parses a duration such as 5s. Other forms, which the recordings do not have, are 5 s. */
const durationSeconds = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text)
  const unit = { ms: 0.001, s: 1, m: 60 }[match?.[2] ?? "s"] ?? 1
  return Number(match?.[1] ?? 5) * unit
}

/** Returns the interval of the node monitor's passes: the range in which two runs can be shifted. */
export const passSeconds = (recording: Recording): number => {
  const flag = recording.flags["kube-controller-manager"]?.find((text) => text.startsWith("--node-monitor-period="))
  return flag === undefined ? 5 : durationSeconds(flag.slice(flag.indexOf("=") + 1))
}

/** The phase difference of two runs, and its period. */
interface Shift {
  readonly what: string
  readonly seconds: number
  readonly period: number
  /** The time in the run at which it was measured. */
  readonly from: number | undefined
}

const shiftBetween = (
  recorded: ReadonlyArray<ComparedEntry>,
  ours: ReadonlyArray<ComparedEntry>,
  what: string,
  period: number,
  isSign: (item: ComparedEntry) => boolean
): Shift => {
  const [theirs, mine] = [recorded.find(isSign)?.entry.at, ours.find(isSign)?.entry.at]
  return { what, period, from: mine, seconds: theirs === undefined || mine === undefined ? 0 : mine - theirs }
}

interface Shifts {
  readonly pass: Shift
  readonly collection: Shift
}

const shiftsBetween = (
  recording: Recording,
  recorded: ReadonlyArray<ComparedEntry>,
  ours: ReadonlyArray<ComparedEntry>
): Shifts => ({
  pass: shiftBetween(
    recorded,
    ours,
    "first Unknown",
    passSeconds(recording),
    ({ cause, entry }) => cause._tag === "pass" && entry.type === "ConditionChanged"
  ),
  collection: shiftBetween(
    recorded,
    ours,
    "first collected pod",
    COLLECTION_SECONDS,
    ({ cause }) => cause._tag === "collection"
  )
})

const isTooFar = ({ period, seconds }: Shift): boolean => Math.abs(seconds) > period + TOLERANCE_SECONDS

/** The share of a period by which the intervals of two runs can differ: the duration of a pass. */
const DRIFT_SHARE = 0.01

/** Returns the possible drift of the phases since their measurement. */
const driftOf = (item: ComparedEntry, { from, period }: Shift): number =>
  from === undefined ? 0 : Math.min(period / 2, Math.max(0, item.entry.at - from) * DRIFT_SHARE)

/** Returns the distance of a difference from the nearest allowed shift: the measured one, or one period more or less. */
const distanceFromShift = (difference: number, { period, seconds }: Shift): number => {
  const within = Math.max(0, Math.abs(difference) - period)
  const nearest = Math.min(...[seconds, seconds - period, seconds + period].map((by) => Math.abs(difference - by)))
  return Math.max(within, nearest)
}

/** Returns the difference of an entry's time from the range that its recorded counterpart allows. */
const timeError = (item: ComparedEntry, counterpart: ComparedEntry, shifts: Shifts): number => {
  const [cause, theirs] = [item.cause, counterpart.cause]
  const raw = item.entry.at - counterpart.entry.at
  if (cause._tag === "after" && theirs._tag === "after") {
    const delays = cause.times.map(
      (at, index) => item.entry.at - at - (counterpart.entry.at - (theirs.times[index] ?? at))
    )
    const due = delayToDue(item) - delayToDue(counterpart)
    return Math.max(Math.min(...delays.map(Math.abs)), Math.abs(due))
  }
  if (cause._tag === "pass") return Math.max(0, distanceFromShift(raw, shifts.pass) - driftOf(item, shifts.pass))
  if (cause._tag === "collection") return distanceFromShift(raw, shifts.collection)
  return Math.abs(raw)
}

/** Returns the duration that a timer was set to. */
const delayToDue = ({ entry }: ComparedEntry): number => (typeof entry.due === "number" ? entry.due - entry.at : 0)

/** Returns the delay since the cause of an entry, or its time if its cause is no entry. */
const sinceCause = ({ cause, entry }: ComparedEntry): number =>
  cause._tag === "after" ? entry.at - (cause.times[0] ?? 0) : entry.at

const inOrder = (items: ReadonlyArray<ComparedEntry>): ReadonlyArray<ComparedEntry> =>
  items.toSorted((left, right) => sinceCause(left) - sinceCause(right) || delayToDue(left) - delayToDue(right))

/** Formats seconds to the millisecond. */
const atText = (seconds: number | undefined): string => (seconds === undefined ? "-" : `${seconds.toFixed(3)} s`)

/**
 * Compares the k-th entries of each class and signature by their causes: see Cause. The phases of the node monitor and of
 * the garbage collector are random, so two runs may be shifted against each other by less than one period.
 */
export const compareTimes = (
  recording: Recording,
  recorded: ReadonlyArray<ComparedEntry>,
  ours: ReadonlyArray<ComparedEntry>
): { readonly largest: number; readonly differences: ReadonlyArray<Difference> } => {
  const shifts = shiftsBetween(recording, recorded, ours)
  // Where the recorded runs differ, entries are compared by zone: the affected object is random.
  const keyOf = ({ cause, entry, kind, signature, zone }: ComparedEntry) =>
    `${variationOf(recording, entry.type) > 0 || kind === "" ? zone : kind} ${signature} (${cause._tag})`
  const theirs = Map.groupBy(recorded, keyOf)
  const differences: Array<Difference> = Object.values(shifts)
    .filter(isTooFar)
    .map(({ period, seconds, what }) => ({
      check: "time" as const,
      message: `${what}: ${seconds.toFixed(3)} s from the recorded one, more than a period of ${period.toFixed(3)} s`
    }))
  let largest = 0
  for (const [key, items] of Map.groupBy(ours, keyOf)) {
    const expected = inOrder(theirs.get(key) ?? [])
    const type = items[0]?.entry.type ?? ""
    const variation = variationOf(recording, type)
    const maxSpread = items[0]?.cause._tag === "after" ? MAX_DELAY_SPREAD_SECONDS : MAX_SPREAD_SECONDS
    const allowed = TOLERANCE_SECONDS + Math.min(recording.spread?.maxDifference?.[type] ?? 0, maxSpread)
    let unmatched = 0
    for (const [index, item] of inOrder(items).entries()) {
      const counterparts = variation > 0 ? expected : expected.slice(index, index + 1)
      const off = Math.min(...counterparts.map((counterpart) => timeError(item, counterpart, shifts)))
      if (off <= allowed) largest = Math.max(largest, off)
      else if (++unmatched > variation) {
        const message = `${key} #${index + 1}: recorded at ${atText(expected[index]?.entry.at)}, here at ${atText(item.entry.at)} (${off.toFixed(3)} s off)`
        differences.push({ check: "time", message })
      }
    }
  }
  return { largest, differences }
}
