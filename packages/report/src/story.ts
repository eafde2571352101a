import type { TraceEntry } from "@rollcall/simulator/result"
import type { ThemeContext } from "./ThemeContext.ts"
import { type Theme, theme } from "./themes.ts"

/** One line of the story: entries of one kind that belong together. */
export interface Chapter {
  readonly from: number
  readonly to: number
  readonly topic: string
  readonly text: string
  /** Follows from the other lines: the first to go when the story gets too long. */
  readonly minor: boolean
}

interface Open {
  readonly theme: Theme
  readonly from: number
  to: number
  readonly subjects: Set<string>
  readonly entries: Array<TraceEntry>
}

/** A trace as a person would tell it: what belongs together in one line, in order of its beginning. */
export const tellStory = (trace: ReadonlyArray<TraceEntry>, context: ThemeContext): ReadonlyArray<Chapter> => {
  const open = new Map<string, Open>()
  const all: Array<Open> = []
  const explained = new Set<string>()
  let happened = 0
  for (const entry of trace) {
    const happens = entry.type === "FaultStarted" || entry.type === "Action"
    const happening = {
      event: happens ? context.events?.[happened++] : undefined,
      explain: entry.type === "FaultStarted" && !explained.has(entry.fault)
    }
    if (entry.type === "FaultStarted") explained.add(entry.fault)
    const found = theme(entry, context, happening)
    if (found === undefined) continue
    const current = found.key === "" ? undefined : open.get(found.key)
    if (current !== undefined && entry.at - current.to <= found.gap) {
      current.to = entry.at
      current.subjects.add(found.subject)
      current.entries.push(entry)
      continue
    }
    const started: Open = {
      theme: found,
      from: entry.at,
      to: entry.at,
      subjects: new Set([found.subject]),
      entries: [entry]
    }
    all.push(started)
    if (found.key !== "") open.set(found.key, started)
  }
  return all.map(({ entries, from, subjects, theme: { minor = false, tell, topic }, to }) => ({
    from,
    to,
    topic,
    minor,
    text: tell([...subjects], from, to, entries)
  }))
}

/** What a line says but for its numbers, and for what is only said once. */
const shapeOf = ({ text, topic }: Chapter): string =>
  `${topic} ${text.replace(/ \([^)]*\)/g, "").replace(/[\d.:]+/g, "0")}`

const SHORTEST_ROUND = 3
const LONGEST_ROUND = 16
const FEWEST_ROUNDS = 3

/** How often the lines from `from` on come again, `length` of them at a time. */
const roundsAt = (shapes: ReadonlyArray<string>, from: number, length: number): number => {
  let rounds = 1
  while (
    from + (rounds + 1) * length <= shapes.length &&
    shapes.slice(from, from + length).every((shape, index) => shape === shapes[from + rounds * length + index])
  ) {
    rounds++
  }
  return rounds
}

/** What happens again and again is told once, and how often. */
export const foldRounds = (chapters: ReadonlyArray<Chapter>): ReadonlyArray<Chapter> => {
  const shapes = chapters.map(shapeOf)
  const folded: Array<Chapter> = []
  let from = 0
  while (from < chapters.length) {
    const length = roundLength(shapes, from)
    const rounds = length === undefined ? 1 : roundsAt(shapes, from, length)
    folded.push(...chapters.slice(from, from + (length ?? 1)))
    const again = length === undefined ? undefined : chapters[from + length]
    const last = chapters[from + rounds * (length ?? 1) - 1]
    if (again !== undefined && last !== undefined) {
      const text = `the same ${length} lines ${rounds - 1} more times`
      folded.push({ ...again, to: last.to, topic: "again", text })
    }
    from += rounds * (length ?? 1)
  }
  return folded
}

/** The shortest round that comes again from here on often enough. */
const roundLength = (shapes: ReadonlyArray<string>, from: number): number | undefined => {
  for (let length = SHORTEST_ROUND; length <= LONGEST_ROUND; length++) {
    if (roundsAt(shapes, from, length) >= FEWEST_ROUNDS) return length
  }
  return undefined
}
