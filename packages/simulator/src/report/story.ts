import type { TraceEntry } from "../trace/TraceEntry.ts"
import { type Done, type Theme, theme } from "./themes.ts"

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
}

/** A trace as a person would tell it: what belongs together in one line, in order of its beginning. */
export const tellStory = (
  trace: ReadonlyArray<TraceEntry>,
  zoneOf: (node: string) => string,
  done: Done = "taints"
): ReadonlyArray<Chapter> => {
  const open = new Map<string, Open>()
  const all: Array<Open> = []
  for (const entry of trace) {
    const found = theme(entry, zoneOf, done)
    if (found === undefined) continue
    const current = found.key === "" ? undefined : open.get(found.key)
    if (current !== undefined && entry.at - current.to <= found.gap) {
      current.to = entry.at
      current.subjects.add(found.subject)
      continue
    }
    const started: Open = { theme: found, from: entry.at, to: entry.at, subjects: new Set([found.subject]) }
    all.push(started)
    if (found.key !== "") open.set(found.key, started)
  }
  return all.map(({ from, subjects, theme: { minor = false, tell, topic }, to }) => ({
    from,
    to,
    topic,
    minor,
    text: tell([...subjects], from, to)
  }))
}
