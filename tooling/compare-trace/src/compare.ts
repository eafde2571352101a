import { type ComparedEntry, type Comparison, type Difference, variationOf } from "./Comparison.ts"
import { byScenario, causesOf } from "./causes.ts"
import { type Classes, classify, subjectOf } from "./classes.ts"
import { compareMetrics } from "./metrics.ts"
import { compareEvents } from "./observed.ts"
import type { Entry, Recording, Run } from "./Recording.ts"
import { signatureOf } from "./signature.ts"
import { compareTimes } from "./times.ts"

/** Returns the time of the first fault or action: what is before it, the start of the cluster, is not compared. */
const startOf = (run: Run): number =>
  run.trace.find((entry) => entry.type === "FaultStarted" || entry.type === "Action")?.at ?? 0

/**
 * Returns whether an entry is a zone change in the pass that ends AllZonesDown: the controller does not log them, so recordings lack them.
 */
const isUnlogged = (entry: Entry, run: Run): boolean =>
  entry.type === "ZoneStateChanged" &&
  run.trace.some(
    ({ at, entered, type }) => type === "AllZonesDown" && entered === false && Math.abs(at - entry.at) < 0.01
  )

/** Returns whether an entry is the forced deletion of a terminating pod: a watch shows only its removal, so recordings lack it. */
const isUnobserved = (entry: Entry, index: number, run: Run): boolean =>
  entry.type === "PodDeletionRequested" &&
  entry.gracePeriodSeconds === 0 &&
  run.trace
    .slice(0, index)
    .findLast(({ namespace, pod, type }) => pod === entry.pod && namespace === entry.namespace && isLifeStep(type))
    ?.type === "PodDeletionRequested"

const isLifeStep = (type: string): boolean => type === "PodDeletionRequested" || type === "PodCreated"

/** Returns the entries of a run that are compared. */
const comparedEntriesOf = (run: Run, classes: Classes): ReadonlyArray<ComparedEntry> => {
  const from = startOf(run)
  const causes = causesOf(run.trace)
  return run.trace.flatMap((entry, index) => {
    const signature = signatureOf(entry)
    if (signature === undefined || entry.at < from || isUnlogged(entry, run) || isUnobserved(entry, index, run)) {
      return []
    }
    const subject = subjectOf(entry, classes)
    return [
      {
        entry,
        signature,
        zone: entry.zone ?? (entry.node === undefined ? "" : classes.zoneOf(entry.node)),
        subject: subject?.name ?? "",
        kind: subject?.kind ?? "",
        cause: causes[index] ?? byScenario
      }
    ]
  })
}

const truncate = (kind: string): string => (kind.length > 60 ? `${kind.slice(0, 57)}...` : kind)

const compareCounts = (
  recording: Recording,
  recorded: ReadonlyArray<ComparedEntry>,
  ours: ReadonlyArray<ComparedEntry>
): ReadonlyArray<Difference> => {
  // Where the recorded runs differ, entries are compared by zone: the affected object is random.
  const keyOf = (item: ComparedEntry) =>
    variationOf(recording, item.entry.type) > 0 ? `${item.zone} ${item.signature}` : `${item.kind} ${item.signature}`
  const recordedGroups = Map.groupBy(recorded, keyOf)
  const runGroups = Map.groupBy(ours, keyOf)
  return [...new Set([...recordedGroups.keys(), ...runGroups.keys()])].flatMap((key) => {
    const expected = recordedGroups.get(key) ?? []
    const actual = runGroups.get(key) ?? []
    const sample = expected[0] ?? actual[0]
    if (sample === undefined || Math.abs(expected.length - actual.length) <= variationOf(recording, sample.entry.type))
      return []
    const message = `${truncate(sample.kind || sample.zone)}: ${sample.signature}: recorded ${expected.length}, here ${actual.length}`
    return [{ check: "count" as const, message }]
  })
}

/** The watch and the controller's log have different clocks: entries within this time have no order. */
const MOMENT_SECONDS = 0.01

/** Returns whether an entry is from the controller's log, and not from a watch. */
const isLogged = ({ entry }: ComparedEntry): boolean => entry.type.startsWith("PodEviction")

/** Orders entries of one moment: those of the watch before those of the log. */
const normaliseOrder = (items: ReadonlyArray<ComparedEntry>): ReadonlyArray<ComparedEntry> => {
  const ordered = [...items]
  for (let index = 1; index < ordered.length; index++) {
    const [left, right] = [ordered[index - 1] as ComparedEntry, ordered[index] as ComparedEntry]
    const isOneMoment = right.entry.at - left.entry.at <= MOMENT_SECONDS
    if (isOneMoment && isLogged(left) !== isLogged(right) && isLogged(left)) {
      ordered[index - 1] = right
      ordered[index] = left
    }
  }
  return ordered
}

/**
 * Returns the sequence of an object's entries as text. Conditions that change in one write are one step. Readiness is left out, because the
 * pass that marks pods and the controller that evicts them race for the same pod.
 */
const sequenceOf = (items: ReadonlyArray<ComparedEntry>): string =>
  normaliseOrder(items)
    .filter(({ entry }) => entry.type !== "PodReadyChanged")
    .map(({ entry, signature }) =>
      entry.type === "ConditionChanged" ? `${entry.type} ${String(entry.to)}` : signature
    )
    .filter((step, index, steps) => step !== steps[index - 1])
    .join(" → ")

const compareOrder = (
  recording: Recording,
  recorded: ReadonlyArray<ComparedEntry>,
  ours: ReadonlyArray<ComparedEntry>
): ReadonlyArray<Difference> => {
  const coursesOf = (items: ReadonlyArray<ComparedEntry>) => {
    const courses = new Map<string, Map<string, number>>()
    for (const [, own] of Map.groupBy(
      items.filter(({ subject }) => subject !== ""),
      ({ subject }) => subject
    )) {
      const kind = own[0]?.kind ?? ""
      const counts = courses.get(kind) ?? new Map<string, number>()
      const course = sequenceOf(own)
      counts.set(course, (counts.get(course) ?? 0) + 1)
      courses.set(kind, counts)
    }
    return courses
  }
  const variation = Math.max(
    0,
    ...(recording.spread?.countsThatDiffer ?? []).map(({ run1, run2 }) => Math.abs(run1 - run2))
  )
  const recordedGroups = coursesOf(recorded)
  const runGroups = coursesOf(ours)
  return [...runGroups].flatMap(([kind, counts]) =>
    [...counts].flatMap(([course, count]) => {
      const expected = recordedGroups.get(kind)?.get(course) ?? 0
      if (Math.abs(count - expected) <= variation) return []
      return [
        { check: "order" as const, message: `${truncate(kind)}: ${course}: recorded ${expected} times, here ${count}` }
      ]
    })
  )
}

/**
 * Compares a run with a recording: the number, the order and the times of entries, Events and metrics, each with the variation of the two
 * recorded runs.
 */
export const compare = (recording: Recording, run: Run): Comparison => {
  const theirClasses = classify(recording, recording)
  const ourClasses = classify(recording, run)
  const recorded = comparedEntriesOf(recording, theirClasses)
  const ours = comparedEntriesOf(run, ourClasses)
  const times = compareTimes(recording, recorded, ours)
  const events = compareEvents(recording, run, theirClasses, ourClasses, startOf(recording), startOf(run))
  const metrics = compareMetrics(recording, run, startOf(recording), startOf(run))
  return {
    name: recording.name,
    entries: recorded.length,
    events: events.compared,
    metrics: metrics.compared,
    largestSeconds: times.largest,
    differences: [
      ...compareCounts(recording, recorded, ours),
      ...compareOrder(recording, recorded, ours),
      ...times.differences,
      ...events.differences,
      ...metrics.differences
    ]
  }
}
