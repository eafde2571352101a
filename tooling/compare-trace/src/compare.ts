import { type Compared, type Comparison, type Difference, variationOf } from "./Comparison.ts"
import { causesOf, played } from "./causes.ts"
import { type Classes, classify, subjectOf } from "./classes.ts"
import { compareMetrics } from "./metrics.ts"
import { compareEvents } from "./observed.ts"
import type { Entry, Recording, Run } from "./Recording.ts"
import { signatureOf } from "./signature.ts"
import { compareTimes } from "./times.ts"

const startOf = (run: Run): number =>
  run.trace.find((entry) => entry.type === "FaultStarted" || entry.type === "Action")?.at ?? 0

/** Whether an entry is a zone change in the pass that ends AllZonesDown: the controller does not log them, so recordings lack them. */
const isUnlogged = (entry: Entry, run: Run): boolean =>
  entry.type === "ZoneStateChanged" &&
  run.trace.some(
    ({ at, entered, type }) => type === "AllZonesDown" && entered === false && Math.abs(at - entry.at) < 0.01
  )

/** Whether an entry is the forced deletion of a terminating pod: a watch shows only its removal, so recordings lack it. */
const isUnobserved = (entry: Entry, index: number, run: Run): boolean =>
  entry.type === "PodDeletionRequested" &&
  entry.gracePeriodSeconds === 0 &&
  run.trace
    .slice(0, index)
    .findLast(({ namespace, pod, type }) => pod === entry.pod && namespace === entry.namespace && isStep(type))
    ?.type === "PodDeletionRequested"

const isStep = (type: string): boolean => type === "PodDeletionRequested" || type === "PodCreated"

const comparedOf = (run: Run, classes: Classes): ReadonlyArray<Compared> => {
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
        cause: causes[index] ?? played
      }
    ]
  })
}

const short = (kind: string): string => (kind.length > 60 ? `${kind.slice(0, 57)}...` : kind)

const compareCounts = (
  recording: Recording,
  recorded: ReadonlyArray<Compared>,
  ours: ReadonlyArray<Compared>
): ReadonlyArray<Difference> => {
  // Where the recorded runs differ, entries are compared by zone: the affected object is random.
  const keyOf = (item: Compared) =>
    variationOf(recording, item.entry.type) > 0 ? `${item.zone} ${item.signature}` : `${item.kind} ${item.signature}`
  const theirs = Map.groupBy(recorded, keyOf)
  const mine = Map.groupBy(ours, keyOf)
  return [...new Set([...theirs.keys(), ...mine.keys()])].flatMap((key) => {
    const expected = theirs.get(key) ?? []
    const actual = mine.get(key) ?? []
    const sample = expected[0] ?? actual[0]
    if (sample === undefined || Math.abs(expected.length - actual.length) <= variationOf(recording, sample.entry.type))
      return []
    const message = `${short(sample.kind || sample.zone)}: ${sample.signature}: recorded ${expected.length}, here ${actual.length}`
    return [{ check: "count" as const, message }]
  })
}

/** The watch and the controller's log have different clocks: entries within this time have no order. */
const MOMENT_SECONDS = 0.01

const isLogged = ({ entry }: Compared): boolean => entry.type.startsWith("PodEviction")

const inOneOrder = (items: ReadonlyArray<Compared>): ReadonlyArray<Compared> => {
  const ordered = [...items]
  for (let index = 1; index < ordered.length; index++) {
    const [left, right] = [ordered[index - 1] as Compared, ordered[index] as Compared]
    const oneMoment = right.entry.at - left.entry.at <= MOMENT_SECONDS
    if (oneMoment && isLogged(left) !== isLogged(right) && isLogged(left)) {
      ordered[index - 1] = right
      ordered[index] = left
    }
  }
  return ordered
}

/**
 * The sequence of an object's entries. Conditions that change in one write are one step. Readiness is left out: the pass
 * that marks pods and the controller that evicts them race for the same pod.
 */
const courseOf = (items: ReadonlyArray<Compared>): string =>
  inOneOrder(items)
    .filter(({ entry }) => entry.type !== "PodReadyChanged")
    .map(({ entry, signature }) =>
      entry.type === "ConditionChanged" ? `${entry.type} ${String(entry.to)}` : signature
    )
    .filter((step, index, steps) => step !== steps[index - 1])
    .join(" → ")

const compareOrder = (
  recording: Recording,
  recorded: ReadonlyArray<Compared>,
  ours: ReadonlyArray<Compared>
): ReadonlyArray<Difference> => {
  const coursesOf = (items: ReadonlyArray<Compared>) => {
    const courses = new Map<string, Map<string, number>>()
    for (const [, own] of Map.groupBy(
      items.filter(({ subject }) => subject !== ""),
      ({ subject }) => subject
    )) {
      const kind = own[0]?.kind ?? ""
      const counts = courses.get(kind) ?? new Map<string, number>()
      const course = courseOf(own)
      counts.set(course, (counts.get(course) ?? 0) + 1)
      courses.set(kind, counts)
    }
    return courses
  }
  const chance = Math.max(
    0,
    ...(recording.spread?.countsThatDiffer ?? []).map(({ run1, run2 }) => Math.abs(run1 - run2))
  )
  const theirs = coursesOf(recorded)
  const mine = coursesOf(ours)
  return [...mine].flatMap(([kind, counts]) =>
    [...counts].flatMap(([course, count]) => {
      const expected = theirs.get(kind)?.get(course) ?? 0
      if (Math.abs(count - expected) <= chance) return []
      return [
        { check: "order" as const, message: `${short(kind)}: ${course}: recorded ${expected} times, here ${count}` }
      ]
    })
  )
}

/** Compares a run with a recording, by the rules in the recording's general notes. */
export const compare = (recording: Recording, run: Run): Comparison => {
  const theirClasses = classify(recording, recording)
  const ourClasses = classify(recording, run)
  const recorded = comparedOf(recording, theirClasses)
  const ours = comparedOf(run, ourClasses)
  const times = compareTimes(recording, recorded, ours)
  const events = compareEvents(recording, run, theirClasses, ourClasses, startOf(recording), startOf(run))
  const metrics = compareMetrics(recording, run, startOf(recording), startOf(run))
  return {
    name: recording.name,
    entries: recorded.length,
    events: events.compared,
    metrics: metrics.compared,
    largest: times.largest,
    differences: [
      ...compareCounts(recording, recorded, ours),
      ...compareOrder(recording, recorded, ours),
      ...times.differences,
      ...events.differences,
      ...metrics.differences
    ]
  }
}
