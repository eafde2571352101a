/** The error of a line that exceeds the maximum length. */
export class LineTooLong extends Error {}

const NEWLINE = 10
const MIN_BUFFER_BYTES = 4096
const EMPTY = Buffer.alloc(0)

/**
 * Splits a byte stream into lines, independent of chunk boundaries. Each byte is scanned once and copied a bounded
 * number of times. It holds at most one unfinished line, of at most `maxBytes`, and no chunks.
 */
export class LineSplitter {
  private readonly maxBytes: number
  private buffer = EMPTY
  private unfinishedBytes = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** The number of bytes of the unfinished line. */
  get unfinishedLength(): number {
    return this.unfinishedBytes
  }

  /** Returns the lines that this chunk completes, without their line endings. Throws LineTooLong. */
  push(chunk: Uint8Array): ReadonlyArray<string> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const last = bytes.lastIndexOf(NEWLINE)
    if (last < 0) {
      this.append(bytes)
      return []
    }
    let start = 0
    const lines: Array<string> = []
    if (this.unfinishedBytes > 0) {
      start = bytes.indexOf(NEWLINE) + 1
      this.append(bytes.subarray(0, start - 1))
      lines.push(this.buffer.toString("utf8", 0, this.unfinishedBytes))
      this.unfinishedBytes = 0
      if (this.buffer.length > MIN_BUFFER_BYTES) this.buffer = EMPTY
    }
    if (start <= last) for (const line of bytes.toString("utf8", start, last).split("\n")) lines.push(line)
    if (last + 1 < bytes.length) this.append(bytes.subarray(last + 1))
    return lines
  }

  private append(bytes: Buffer): void {
    const neededBytes = this.unfinishedBytes + bytes.length
    if (neededBytes > this.maxBytes) throw new LineTooLong(`a line exceeds ${this.maxBytes} bytes`)
    if (neededBytes > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(MIN_BUFFER_BYTES, neededBytes, this.buffer.length * 2))
      this.buffer.copy(larger, 0, 0, this.unfinishedBytes)
      this.buffer = larger
    }
    bytes.copy(this.buffer, this.unfinishedBytes)
    this.unfinishedBytes = neededBytes
  }
}
