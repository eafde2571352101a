import { constants, crc32, deflateRaw } from "node:zlib"
import { checksumShift, joinedChecksum } from "./joinedChecksum.ts"

/** The fastest level: an answer that is not kept is sent only once, so better compression is not worth its time. */
export const GZIP_LEVEL = 1

/** Of a stream without name and time: RFC 1952, section 2.3. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** An empty block that is the last one. */
const LAST_BLOCK = Buffer.from([3, 0])
const TRAILER_BYTES = 8

/** Ends with a whole byte, and leaves the stream open for other blocks. */
const blocksOptions = { level: GZIP_LEVEL, finishFlush: constants.Z_SYNC_FLUSH }

/** A piece as it is in any compressed body. */
interface Compressed {
  readonly blocks: Buffer
  readonly checksum: number
  readonly shift: number
}

/** Pieces that are sent more than once. */
const kept = new WeakMap<Buffer, Compressed>()

/** Receives the next part of a compressed body. It is called at once if the piece was compressed before. */
export type PartReply = (error: Error | null, part: Buffer) => void

/**
 * Compresses a body piece by piece in the thread pool. No piece refers to an earlier one, so the blocks of a piece are the same in
 * each body: those of the pages that lists keep are compressed once for all of them.
 */
export class GzipPieces {
  private checksum = 0
  private bytes = 0
  private isBegun = false

  add(piece: Buffer | string, isLast: boolean, reply: PartReply): void {
    const content = typeof piece === "string" ? Buffer.from(piece) : piece
    this.bytes += content.length
    const known = kept.get(content)
    if (known !== undefined) {
      reply(null, this.partOf(known, isLast))
      return
    }
    deflateRaw(content, blocksOptions, (error, blocks) => {
      if (error !== null) {
        reply(error, blocks)
        return
      }
      const compressed = { blocks, checksum: crc32(content), shift: checksumShift(content.length) }
      kept.set(content, compressed)
      reply(null, this.partOf(compressed, isLast))
    })
  }

  private partOf({ blocks, checksum, shift }: Compressed, isLast: boolean): Buffer {
    this.checksum = joinedChecksum(this.checksum, checksum, shift)
    const parts = this.isBegun ? [blocks] : [HEADER, blocks]
    this.isBegun = true
    if (isLast) parts.push(LAST_BLOCK, this.trailer())
    return parts.length === 1 ? blocks : Buffer.concat(parts)
  }

  private trailer(): Buffer {
    const trailer = Buffer.alloc(TRAILER_BYTES)
    trailer.writeUInt32LE(this.checksum)
    trailer.writeUInt32LE(this.bytes % 2 ** 32, TRAILER_BYTES / 2)
    return trailer
  }
}
