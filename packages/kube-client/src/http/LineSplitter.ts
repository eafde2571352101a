/** A line is longer than it may be. */
export class LineTooLong extends Error {}

const NEWLINE = 10
const SMALL = 4096
const NOTHING = Buffer.alloc(0)

/**
 * Cuts a stream of bytes into lines, wherever its chunks end. Each byte is looked at once and copied a bounded number of
 * times; no more than one unfinished line is held, of at most `maxBytes`, and none of the chunks.
 */
export class LineSplitter {
  private readonly maxBytes: number
  private held = NOTHING
  private heldBytes = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Bytes of a line whose end has not come. */
  get rest(): number {
    return this.heldBytes
  }

  /** The lines that this chunk completes, without their ends. Throws LineTooLong. */
  push(chunk: Uint8Array): ReadonlyArray<string> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const last = bytes.lastIndexOf(NEWLINE)
    if (last < 0) {
      this.keep(bytes)
      return []
    }
    let start = 0
    const lines: Array<string> = []
    if (this.heldBytes > 0) {
      start = bytes.indexOf(NEWLINE) + 1
      this.keep(bytes.subarray(0, start - 1))
      lines.push(this.held.toString("utf8", 0, this.heldBytes))
      this.heldBytes = 0
      if (this.held.length > SMALL) this.held = NOTHING
    }
    if (start <= last) for (const line of bytes.toString("utf8", start, last).split("\n")) lines.push(line)
    if (last + 1 < bytes.length) this.keep(bytes.subarray(last + 1))
    return lines
  }

  private keep(bytes: Buffer): void {
    const wanted = this.heldBytes + bytes.length
    if (wanted > this.maxBytes) throw new LineTooLong(`a line exceeds ${this.maxBytes} bytes`)
    if (wanted > this.held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(SMALL, wanted, this.held.length * 2))
      this.held.copy(larger, 0, 0, this.heldBytes)
      this.held = larger
    }
    bytes.copy(this.held, this.heldBytes)
    this.heldBytes = wanted
  }
}
