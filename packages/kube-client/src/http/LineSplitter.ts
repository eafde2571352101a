/** A line exceeds the maximum length. */
export class LineTooLong extends Error {}

const NEWLINE = 10
const SMALL = 4096
const EMPTY = Buffer.alloc(0)

/**
 * Splits a byte stream into lines, independent of chunk boundaries. Each byte is scanned once and copied a bounded
 * number of times. It holds at most one unfinished line, of at most `maxBytes`, and no chunks.
 */
export class LineSplitter {
  private readonly maxBytes: number
  private held = EMPTY
  private heldBytes = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** The number of bytes of the unfinished line. */
  get rest(): number {
    return this.heldBytes
  }

  /** Returns the lines that this chunk completes, without their line endings. Throws LineTooLong. */
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
      if (this.held.length > SMALL) this.held = EMPTY
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
