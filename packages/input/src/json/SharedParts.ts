/** The length of all texts of known parts after which they are forgotten: parts that differ everywhere are not worth it. */
const MAX_LENGTH = 64 * 1024 * 1024

/** A text, and the value that it is the JSON of. */
export interface SharedPart {
  readonly text: string
  readonly value: unknown
}

/** The values of JSON texts: equal texts share one value. Values must not be changed. */
export class SharedParts {
  private readonly known = new Map<string, SharedPart>()
  private length = 0

  /** Returns the part with this text. Throws a SyntaxError if it is not JSON. */
  of(text: string): SharedPart {
    const known = this.known.get(text)
    if (known !== undefined) return known
    // A slice of a long text would keep all of that in memory.
    const part = { text: ` ${text}`.slice(1), value: JSON.parse(text) as unknown }
    this.length += text.length
    if (this.length > MAX_LENGTH) {
      this.known.clear()
      this.length = text.length
    }
    this.known.set(part.text, part)
    return part
  }
}
