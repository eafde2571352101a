import { exactNumber, parseExactly } from "../../exactJson.ts"
import type { Literal } from "./goScalars.ts"

const kinds: Readonly<Record<string, Literal["kind"]>> = {
  '"': "string",
  t: "bool",
  f: "bool",
  "{": "object",
  "[": "array"
}

/** Reads the tokens of a text in order. The text must be valid JSON: nothing is checked. */
export class Cursor {
  /** The position in the text, in UTF-16 code units. */
  at = 0
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Returns the next character that is not whitespace. */
  peek(): string {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      // Space, tab, line feed, carriage return.
      if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return this.text.charAt(this.at)
      this.at++
    }
  }

  /** Returns the kind of the next value; "null" is a kind of its own here. */
  kind(): Literal["kind"] | "null" {
    const first = this.peek()
    return first === "n" ? "null" : (kinds[first] ?? "number")
  }

  /** Reads an object: calls `read` with each key, which must read that key's value from this cursor. */
  members(read: (key: string) => void): void {
    this.each("}", () => {
      this.peek()
      const key = JSON.parse(this.raw())
      this.peek()
      this.at++
      read(String(key))
    })
  }

  /** Reads a list: calls `read` with each index, which must read that element from this cursor. */
  items(read: (index: number) => void): void {
    let index = 0
    this.each("]", () => read(index++))
  }

  private each(close: string, read: () => void): void {
    this.peek()
    this.at++
    if (this.peek() === close) {
      this.at++
      return
    }
    for (;;) {
      read()
      const next = this.peek()
      this.at++
      if (next === close) return
    }
  }

  /** Returns the text of the next value. */
  raw(): string {
    const first = this.peek()
    const start = this.at
    if (first === '"') this.skipString()
    else if (first === "{" || first === "[") this.skipNested()
    else while (this.at < this.text.length && !/[\s,\]}]/.test(this.text.charAt(this.at))) this.at++
    return this.text.slice(start, this.at)
  }

  /** Reads the next value, which is of this kind; any value but a number is parsed, so "bool" also reads null. */
  literal(kind: Literal["kind"]): Literal {
    const raw = this.raw()
    return { kind, raw, value: kind === "number" ? exactNumber(raw) : parseExactly(raw) }
  }

  private skipString() {
    for (this.at++; this.text.charAt(this.at) !== '"'; this.at++) if (this.text.charAt(this.at) === "\\") this.at++
    this.at++
  }

  private skipNested() {
    let depth = 0
    do {
      const character = this.text.charAt(this.at)
      if (character === '"') {
        this.skipString()
        continue
      }
      if (character === "{" || character === "[") depth++
      if (character === "}" || character === "]") depth--
      this.at++
    } while (depth > 0)
  }
}
