import type { Life } from "./Life.ts"
import { type Line, linesOfLives } from "./lines.ts"

/**
 * How far apart the times since the request before may be: a genuine kubelet looks at its containers once a second, and
 * lengthens a wait after a failure by up to a half.
 */
const TOLERANCE_SECONDS = 2.2
const JITTER = 0.5

/** Returns the lengths of the longest common subsequences of all suffixes. */
const commonLengths = (left: ReadonlyArray<Line>, right: ReadonlyArray<Line>): ReadonlyArray<Uint16Array> => {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1))
  for (let i = left.length - 1; i >= 0; i--) {
    const row = lengths[i] as Uint16Array
    const below = lengths[i + 1] as Uint16Array
    for (let j = right.length - 1; j >= 0; j--) {
      row[j] = left[i]?.text === right[j]?.text ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
}

interface Place {
  readonly left: number
  readonly right: number
}

/** Collects the lines that differ. A field follows its request. */
class Differences {
  readonly lines: Array<string> = []
  private request = ""
  private shown = ""
  private before: Place = { left: 0, right: 0 }

  same(left: Line, right: Line): void {
    if (left.isField) return
    this.request = left.text
    const gaps = [left.at - this.before.left, right.at - this.before.right]
    this.before = { left: left.at, right: right.at }
    if (Math.max(...gaps) - Math.min(...gaps) * (1 + JITTER) <= TOLERANCE_SECONDS) return
    this.lines.push(`@ ${left.text}: at ${left.at} s, not ${right.at} s`)
    this.shown = this.request
  }

  only(sign: "-" | "+", { isField, text }: Line): void {
    if (!isField) this.request = text
    else if (this.shown !== this.request) this.lines.push(`  ${this.request}`)
    this.shown = this.request
    this.lines.push(`${sign} ${text}`)
  }
}

const differencesOf = (genuine: ReadonlyArray<Line>, ours: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const lengths = commonLengths(genuine, ours)
  const out = new Differences()
  let i = 0
  let j = 0
  for (;;) {
    const [left, right] = [genuine[i], ours[j]]
    if (left !== undefined && right !== undefined && left.text === right.text) {
      out.same(left, right)
      i++
      j++
    } else if (
      left !== undefined &&
      (right === undefined || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      out.only("-", left)
      i++
    } else if (right !== undefined) {
      out.only("+", right)
      j++
    } else return out.lines
  }
}

/**
 * Returns the lines in which two lives differ: `-` the genuine kubelet only, `+` Rollcall's only, `@` at another time.
 * A line that begins with a space names the request of the fields after it.
 */
export const lifeDifferences = (genuine: Life, ours: Life): ReadonlyArray<string> =>
  linesOfLives(genuine, ours).flatMap((part) => differencesOf(part.genuine, part.ours))
