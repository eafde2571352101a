interface Edit {
  readonly mark: " " | "-" | "+"
  readonly line: string
}

/** The unchanged lines around each change. */
const CONTEXT_LINES = 3

/**
 * Returns the shortest edit from one list of lines to another, by their longest common subsequence. Takes time and memory proportional to
 * the product of their lengths; the texts here have a few hundred lines.
 */
const editsOf = (from: ReadonlyArray<string>, to: ReadonlyArray<string>): ReadonlyArray<Edit> => {
  const width = to.length + 1
  const common = new Uint32Array((from.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      common[i * width + j] = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const edits: Array<Edit> = []
  let i = 0
  let j = 0
  while (i < from.length || j < to.length) {
    const removed = from[i]
    const added = to[j]
    if (removed !== undefined && removed === added) {
      edits.push({ mark: " ", line: removed })
      i++
      j++
    } else if (removed !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ mark: "-", line: removed })
      i++
    } else if (added !== undefined) {
      edits.push({ mark: "+", line: added })
      j++
    }
  }
  return edits
}

const rangeOf = (start: number, count: number): string =>
  count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`

/** Returns the hunks of a unified diff, or "" if nothing differs. */
export const unifiedDiff = (from: ReadonlyArray<string>, to: ReadonlyArray<string>): string => {
  const edits = editsOf(from, to)
  const isNear = edits.map((_, index) =>
    edits.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ mark }) => mark !== " ")
  )
  const out: Array<string> = []
  let fromLine = 0
  let toLine = 0
  for (let index = 0; index < edits.length; ) {
    if (isNear[index] !== true) {
      fromLine++
      toLine++
      index++
      continue
    }
    let end = index
    while (isNear[end] === true) end++
    const hunk = edits.slice(index, end)
    const removed = hunk.filter(({ mark }) => mark !== "+").length
    const added = hunk.filter(({ mark }) => mark !== "-").length
    out.push(`@@ -${rangeOf(fromLine, removed)} +${rangeOf(toLine, added)} @@`)
    out.push(...hunk.map(({ line, mark }) => mark + line))
    fromLine += removed
    toLine += added
    index = end
  }
  return out.join("\n")
}
