/** `code` is 0 when the connection is gone. The body is gone when this returns. */
export type Answered = (code: number, body: Buffer) => void

const HEAD_END = "\r\n\r\n"
/** The body ends with its last chunk. */
const CHUNKS = -1
const LAST_CHUNK = Buffer.from("0\r\n\r\n")

/** Moves the content of the chunks to the front of their bytes, and returns it. */
const joined = (chunked: Buffer): Buffer => {
  let [at, end] = [0, 0]
  for (;;) {
    const line = chunked.indexOf("\r\n", at)
    const size = Number.parseInt(chunked.toString("latin1", at, line), 16)
    if (line < 0 || !(size > 0)) return chunked.subarray(0, end)
    const start = line + 2
    chunked.copyWithin(end, start, start + size)
    end += size
    at = start + size + 2
  }
}

const FIRST_BYTES = 4096

/**
 * Reads the answers of a connection, one at a time, of one piece or in chunks, into one buffer: the garbage of a client delays what it
 * measures.
 */
export class AnswerReader {
  private readonly answered: Answered
  /** The answer so far, and its length. */
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  private received = 0
  /** Of head and body together; undefined until the head is here. */
  private expected: number | undefined
  private head = 0

  constructor(answered: Answered) {
    this.answered = answered
  }

  read(bytes: Buffer): void {
    const received = this.received + bytes.length
    if (received > this.bytes.length) this.grow(received)
    this.bytes.set(bytes, this.received)
    this.received = received
    const all = this.bytes.subarray(0, received)
    this.expected ??= this.expectedLength(all)
    if (this.expected === undefined) return
    const body = all.subarray(this.head)
    const isChunked = this.expected === CHUNKS
    if (isChunked ? !body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : received < this.expected) return
    this.received = 0
    this.expected = undefined
    this.answered(Number(all.toString("latin1", 9, 12)), isChunked ? joined(body) : body)
  }

  private grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.bytes.length))
    larger.set(this.bytes.subarray(0, this.received))
    this.bytes = larger
  }

  /** Returns the length of the answer, if its head is here. */
  private expectedLength(all: Buffer): number | undefined {
    const end = all.indexOf(HEAD_END)
    if (end < 0) return undefined
    this.head = end + HEAD_END.length
    const length = /\r\ncontent-length: *(\d+)/i.exec(all.toString("latin1", 0, end))?.[1]
    return length === undefined ? CHUNKS : this.head + Number(length)
  }
}
