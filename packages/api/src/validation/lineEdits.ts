/*
 * The edits between two lists of lines: those that a sequence matcher finds, which are not always the fewest. Upstream:
 * github.com/pmezard/go-difflib, a port of Python's difflib.
 */

export type Edit = readonly [mark: " " | "-" | "+", line: string]

type Lines = ReadonlyArray<string>

/** A run of equal lines: where it starts in each list. */
interface Block {
  readonly from: number
  readonly to: number
  readonly length: number
}

/** Parts of both lists that are still to match: from the start, up to the end. */
interface Ranges {
  readonly from: readonly [start: number, end: number]
  readonly to: readonly [start: number, end: number]
}

/** Longer differences are shown as a whole: finding the lines that they share would take too long. */
const MAX_COMPARED = 1_000_000
/** In a list of so many lines those are not looked up that occur more often than in a hundredth of its places. */
const MIN_POPULAR = 200
const POPULAR_PART = 100

const placesOf = (lines: Lines): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  lines.forEach((line, index) => {
    const known = places.get(line)
    if (known === undefined) places.set(line, [index])
    else known.push(index)
  })
  if (lines.length < MIN_POPULAR) return places
  const most = Math.floor(lines.length / POPULAR_PART) + 1
  return new Map([...places].filter(([, found]) => found.length <= most))
}

/** Returns the longest run that both parts share: the first in `from`, and of those the first in `to`. */
const longestBlock = (from: Lines, to: Lines, places: ReturnType<typeof placesOf>, ranges: Ranges): Block => {
  const [fromStart, fromEnd] = ranges.from
  const [toStart, toEnd] = ranges.to
  let best: Block = { from: fromStart, to: toStart, length: 0 }
  /** The lengths of the runs that end with the previous line, by their end in `to`. */
  let lengths = new Map<number, number>()
  for (let i = fromStart; i < fromEnd; i++) {
    const next = new Map<number, number>()
    for (const j of places.get(from[i] ?? "") ?? []) {
      if (j >= toEnd) break
      if (j < toStart) continue
      const length = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, length)
      if (length > best.length) best = { from: i - length + 1, to: j - length + 1, length }
    }
    lengths = next
  }
  let { from: i, to: j, length } = best
  while (i > fromStart && j > toStart && from[i - 1] === to[j - 1]) [i, j, length] = [i - 1, j - 1, length + 1]
  while (i + length < fromEnd && j + length < toEnd && from[i + length] === to[j + length]) length++
  return { from: i, to: j, length }
}

/** Returns the shared runs in the order of the lists: the longest, and those before and after it. */
const sharedBlocks = (from: Lines, to: Lines): ReadonlyArray<Block> => {
  const places = placesOf(to)
  const found: Array<Block> = []
  const waiting: Array<Ranges> = [{ from: [0, from.length], to: [0, to.length] }]
  for (let ranges = waiting.pop(); ranges !== undefined; ranges = waiting.pop()) {
    const block = longestBlock(from, to, places, ranges)
    if (block.length === 0) continue
    found.push(block)
    waiting.push(
      { from: [ranges.from[0], block.from], to: [ranges.to[0], block.to] },
      { from: [block.from + block.length, ranges.from[1]], to: [block.to + block.length, ranges.to[1]] }
    )
  }
  return found.sort((left, right) => left.from - right.from)
}

/** Returns the run at the start that both lists share, and that at the end. */
const sharedEnds = (from: Lines, to: Lines): ReadonlyArray<Block> => {
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) start++
  let end = 0
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end++
  return [
    { from: 0, to: 0, length: start },
    { from: from.length - end, to: to.length - end, length: end }
  ]
}

export const lineEdits = (from: Lines, to: Lines): ReadonlyArray<Edit> => {
  const blocks = from.length * to.length > MAX_COMPARED ? sharedEnds(from, to) : sharedBlocks(from, to)
  const edits: Array<Edit> = []
  let [i, j] = [0, 0]
  for (const block of [...blocks, { from: from.length, to: to.length, length: 0 }]) {
    for (const line of from.slice(i, block.from)) edits.push(["-", line])
    for (const line of to.slice(j, block.to)) edits.push(["+", line])
    i = block.from + block.length
    j = block.to + block.length
    for (const line of from.slice(block.from, i)) edits.push([" ", line])
  }
  return edits
}
