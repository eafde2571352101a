import type { SharedPart, SharedParts } from "./SharedParts.ts"

/** A list or an object in a member of an item, such as `spec.containers`: where its text and the two names are. */
interface Part {
  outerFrom: number
  outerTo: number
  nameFrom: number
  nameTo: number
  from: number
  to: number
  /** Set if its text is that of an earlier part. */
  shared: SharedPart | undefined
}

/** How deep the members of an item, and their parts, are nested in it. */
const MEMBER = 1
const PART = 2

type Fields = Record<string, unknown>

/** What stands for a part while the rest of its item is parsed: a number that no field has. */
interface Mark {
  readonly text: string
  readonly number: number
}

const marks: Array<Mark> = []

const markOf = (index: number): Mark => {
  while (marks.length <= index) {
    const text = `${marks.length + 1}e-300`
    marks.push({ text, number: Number(text) })
  }
  return marks[index] as Mark
}

/** Whether a text has another one at an offset. The comparison of two strings takes less than startsWith, which takes a character at a time. */
const isAt = (text: string, from: number, part: string): boolean => text.slice(from, from + part.length) === part

/** An item of a list while its JSON is read. Offsets are those of the text. */
export class ListItem {
  private stringFrom = 0
  private stringTo = 0
  private outerFrom = 0
  private outerTo = 0
  private inObject = false
  /** The parts that have begun; the last may not have ended. */
  private readonly parts: Array<Part> = []
  /** By their place in an item: mostly the next item has the same, because it is of the same template. */
  private readonly latest: Array<SharedPart> = []

  begin(): void {
    this.parts.length = 0
    this.inObject = false
  }

  /** Notes the last string. */
  lastString(from: number, to: number): void {
    this.stringFrom = from
    this.stringTo = to
  }

  isLastString(text: string, expected: string): boolean {
    return text.slice(this.stringFrom, this.stringTo) === expected
  }

  /**
   * A list or an object begins at this depth in the item. The string before it is its name. Returns its length if it is known to be the
   * same as in the item before, otherwise 0.
   */
  open(text: string, depth: number, from: number, isObject: boolean): number {
    if (depth === MEMBER) {
      this.inObject = isObject
      this.outerFrom = this.stringFrom
      this.outerTo = this.stringTo
    } else if (depth === PART && this.inObject) {
      const { outerFrom, outerTo, parts, stringFrom: nameFrom, stringTo: nameTo } = this
      const latest = this.latest[parts.length]
      const shared = latest !== undefined && isAt(text, from, latest.text) ? latest : undefined
      const length = shared?.text.length ?? 0
      parts.push({ outerFrom, outerTo, nameFrom, nameTo, from, to: from + length, shared })
      return length
    }
    return 0
  }

  /** A list or an object ends, and what follows is at this depth. */
  close(depth: number, to: number): void {
    const last = this.parts[this.parts.length - 1]
    if (depth === PART && this.inObject && last !== undefined) last.to = to
  }

  /** So many characters before it have been dropped. */
  shift(by: number): void {
    this.stringFrom -= by
    this.stringTo -= by
    this.outerFrom -= by
    this.outerTo -= by
    for (const part of this.parts) {
      part.outerFrom -= by
      part.outerTo -= by
      part.nameFrom -= by
      part.nameTo -= by
      part.from -= by
      part.to -= by
    }
  }

  /** Returns the value of the item. Throws a SyntaxError if it is not JSON. */
  value(text: string, from: number, to: number, shared: SharedParts): unknown {
    const { parts } = this
    let marked = ""
    let at = from
    for (const [index, part] of parts.entries()) {
      marked += text.slice(at, part.from) + markOf(index).text
      at = part.to
    }
    const item = JSON.parse(marked + text.slice(at, to)) as Fields
    for (const [index, part] of parts.entries()) {
      const outer = item[text.slice(part.outerFrom, part.outerTo)] as Fields | undefined
      const name = text.slice(part.nameFrom, part.nameTo)
      // A name is given twice, or with escapes.
      if (outer?.[name] !== markOf(index).number) return JSON.parse(text.slice(from, to))
      const known = part.shared ?? shared.of(text.slice(part.from, part.to))
      this.latest[index] = known
      outer[name] = known.value
    }
    return item
  }
}
