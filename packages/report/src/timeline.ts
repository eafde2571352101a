import type { TraceEntry } from "@rollcall/simulator/result"
import { completionsOf } from "./completions.ts"
import { describeEntry } from "./entries/describeEntry.ts"
import type { EntryDescription } from "./entries/EntryDescription.ts"
import type { ReportContext } from "./ReportContext.ts"

/** One line of the timeline: entries that belong together. */
export interface TimelineLine {
  /** The times of the first and of the last entry, in virtual seconds. */
  readonly from: number
  readonly to: number
  readonly topic: string
  readonly text: string
  /** Whether the line follows from others, so that a long timeline leaves it out. */
  readonly minor: boolean
}

/** A line to which entries may still be added. */
interface OpenLine {
  readonly description: EntryDescription
  readonly from: number
  to: number
  readonly subjects: Set<string>
  readonly entries: Array<TraceEntry>
}

/** Summarises a trace: entries that belong together become one line. Lines are in the order of their first entries. */
export const timelineOf = (trace: ReadonlyArray<TraceEntry>, context: ReportContext): ReadonlyArray<TimelineLine> => {
  const open = new Map<string, OpenLine>()
  const all: Array<OpenLine> = []
  const explained = new Set<string>()
  const completions = completionsOf(trace)
  /** The index of the next event of the scenario. */
  let eventIndex = 0
  for (const entry of trace) {
    const isEvent = entry.type === "FaultStarted" || entry.type === "Action"
    const eventContext = {
      event: isEvent ? context.events?.[eventIndex++] : undefined,
      explain: entry.type === "FaultStarted" && !explained.has(entry.fault)
    }
    if (entry.type === "FaultStarted") explained.add(entry.fault)
    const found = describeEntry(entry, context, eventContext)
    if (found === undefined || completions.has(entry)) continue
    const current = found.key === "" ? undefined : open.get(found.key)
    if (current !== undefined && entry.at - current.to <= found.gap) {
      current.to = entry.at
      current.subjects.add(found.subject)
      current.entries.push(entry)
      continue
    }
    const started: OpenLine = {
      description: found,
      from: entry.at,
      to: entry.at,
      subjects: new Set([found.subject]),
      entries: [entry]
    }
    all.push(started)
    if (found.key !== "") open.set(found.key, started)
  }
  return all.map(({ entries, from, subjects, description: { minor = false, text, topic }, to }) => ({
    from,
    to,
    topic,
    minor,
    text: text([...subjects], from, to, entries)
  }))
}

/** Returns the text of a line without numbers and without explanations in parentheses, so that repetitions compare equal. */
const shapeOf = ({ text, topic }: TimelineLine): string =>
  `${topic} ${text.replace(/ \([^)]*\)/g, "").replace(/[\d.:]+/g, "0")}`

/** The shortest and the longest block of lines whose repetitions are folded, and how often it must occur. */
const MIN_BLOCK_LINES = 3
const MAX_BLOCK_LINES = 16
const MIN_REPEATS = 3

/** Returns how often the block of `length` lines at `from` occurs in a row. */
const repeatsAt = (shapes: ReadonlyArray<string>, from: number, length: number): number => {
  let rounds = 1
  while (
    from + (rounds + 1) * length <= shapes.length &&
    shapes.slice(from, from + length).every((shape, index) => shape === shapes[from + rounds * length + index])
  ) {
    rounds++
  }
  return rounds
}

/** Replaces the repetitions of a block of lines by one line with their number. */
export const foldRepeats = (lines: ReadonlyArray<TimelineLine>): ReadonlyArray<TimelineLine> => {
  const shapes = lines.map(shapeOf)
  const folded: Array<TimelineLine> = []
  let from = 0
  while (from < lines.length) {
    const length = repeatLength(shapes, from)
    const rounds = length === undefined ? 1 : repeatsAt(shapes, from, length)
    folded.push(...lines.slice(from, from + (length ?? 1)))
    const again = length === undefined ? undefined : lines[from + length]
    const last = lines[from + rounds * (length ?? 1) - 1]
    if (again !== undefined && last !== undefined) {
      const text = `the same ${length} lines ${rounds - 1} more times`
      folded.push({ ...again, to: last.to, topic: "again", text })
    }
    from += rounds * (length ?? 1)
  }
  return folded
}

/** Returns the length of the shortest block at `from` that repeats often enough. */
const repeatLength = (shapes: ReadonlyArray<string>, from: number): number | undefined => {
  for (let length = MIN_BLOCK_LINES; length <= MAX_BLOCK_LINES; length++) {
    if (repeatsAt(shapes, from, length) >= MIN_REPEATS) return length
  }
  return undefined
}
