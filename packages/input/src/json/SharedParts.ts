/** The length of all texts of known parts after which they are forgotten: parts that differ everywhere are not worth it. */
const MAX_LENGTH = 64 * 1024 * 1024

/** The values of JSON texts: equal texts share one value. Values must not be changed. */
export class SharedParts {
  private readonly known = new Map<string, unknown>()
  private length = 0

  /** Returns the value of a text. Throws a SyntaxError if it is not JSON. */
  valueOf(text: string): unknown {
    const known = this.known.get(text)
    if (known !== undefined) return known
    const value: unknown = JSON.parse(text)
    this.length += text.length
    if (this.length > MAX_LENGTH) {
      this.known.clear()
      this.length = text.length
    }
    // A slice of a long text would keep all of that in memory.
    this.known.set(` ${text}`.slice(1), value)
    return value
  }
}
