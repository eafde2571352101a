/**
 * The bytes of a body as they come. One piece is kept as it is; from the second on they go into one buffer that doubles, since a
 * client may send its body in pieces of one byte, each of which would cost an object.
 */
export class BodyBuffer {
  private bytes: Buffer = EMPTY
  private length = 0

  get size(): number {
    return this.length
  }

  /** What it holds of memory. */
  get capacity(): number {
    return this.bytes.length
  }

  add(piece: Buffer): void {
    const { length } = this
    this.length += piece.length
    if (length === 0) {
      this.bytes = piece
      return
    }
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.length, 2 * length, LEAST_BYTES))
      this.bytes.copy(larger, 0, 0, length)
      this.bytes = larger
    }
    piece.copy(this.bytes, length)
  }

  whole(): Buffer {
    return this.bytes.length === this.length ? this.bytes : this.bytes.subarray(0, this.length)
  }

  clear(): void {
    this.bytes = EMPTY
    this.length = 0
  }
}

const EMPTY = Buffer.alloc(0)
const LEAST_BYTES = 4096
