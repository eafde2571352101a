import { constants, inflateRawSync, type ZlibOptions } from "node:zlib"
import { spdyDictionary } from "./dictionary.ts"

/*
 * Blocks of headers: names and values with their lengths, all blocks of one direction in one zlib stream that is flushed
 * after each. Specification: SPDY Protocol, draft 3.1, 2.6.10.
 */

export type SpdyHeaders = ReadonlyMap<string, string>

/** A longer block ends the connection. A stream of Kubernetes has three headers, of some sixty bytes. */
const MAX_BLOCK_BYTES = 16 * 1024
const MAX_HEADERS = 100
/** What the compression looks back at. */
const WINDOW_BYTES = 32 * 1024
const LENGTH_BYTES = 4

const ZLIB_HEADER_BYTES = 2
const DEFLATED = 8
const HAS_DICTIONARY = 0x20
/** What a flush writes at the end of a block, which makes it end with a whole byte. */
const FLUSHED = Buffer.of(0, 0, 0xff, 0xff)

/** The Adler-32 of the dictionary, which names it. */
const DICTIONARY_ID = 0xe3c6a7c2

/** Says what is wrong with a block of headers. */
export class HeaderFault extends Error {}

/** Returns the headers of a decompressed block. */
const parseHeaders = (block: Buffer): SpdyHeaders => {
  let at = 0
  const integer = (): number => {
    if (at + LENGTH_BYTES > block.length) throw new HeaderFault("a block of headers is cut off")
    at += LENGTH_BYTES
    return block.readUInt32BE(at - LENGTH_BYTES)
  }
  const text = (): string => {
    const length = integer()
    if (length > block.length - at) throw new HeaderFault("a header is longer than its block")
    at += length
    return block.toString("latin1", at - length, at)
  }
  const count = integer()
  if (count > MAX_HEADERS) throw new HeaderFault(`a block has ${count} headers`)
  const headers = new Map<string, string>()
  for (let index = 0; index < count; index++) {
    const name = text()
    if (name !== name.toLowerCase() || headers.has(name)) throw new HeaderFault("a name of a header is not its own")
    // Of several values, the first one counts, as in Go.
    const [value = ""] = text().split("\0")
    headers.set(name, value)
  }
  if (at < block.length) throw new HeaderFault("a block of headers is longer than its headers")
  return headers
}

/**
 * Decompresses the blocks of one direction, in their order. A block that is flushed can be decompressed by itself, with
 * the text before it as its dictionary: so that needs no state but this text, and no callback.
 */
export class HeaderDecoder {
  private window: Buffer = Buffer.alloc(0)
  private hasBegun = false

  /** Returns the headers of the next block. Throws a HeaderFault at the first one that is malformed or too long. */
  decode(compressed: Buffer): SpdyHeaders {
    const block = this.inflate(this.hasBegun ? compressed : this.begin(compressed))
    this.window = Buffer.concat([this.window, block]).subarray(-WINDOW_BYTES)
    return parseHeaders(block)
  }

  /** Returns the first block without the head of the stream. */
  private begin(compressed: Buffer): Buffer {
    this.hasBegun = true
    const isZlib =
      compressed.length >= ZLIB_HEADER_BYTES &&
      ((compressed[0] as number) & 0x0f) === DEFLATED &&
      compressed.readUInt16BE(0) % 31 === 0
    if (!isZlib) throw new HeaderFault("the headers are not compressed with zlib")
    if (((compressed[1] as number) & HAS_DICTIONARY) === 0) return compressed.subarray(ZLIB_HEADER_BYTES)
    const end = ZLIB_HEADER_BYTES + LENGTH_BYTES
    if (compressed.length < end || compressed.readUInt32BE(ZLIB_HEADER_BYTES) !== DICTIONARY_ID) {
      throw new HeaderFault("the headers are compressed with another dictionary")
    }
    this.window = spdyDictionary
    return compressed.subarray(end)
  }

  private inflate(data: Buffer): Buffer {
    if (!data.subarray(-FLUSHED.length).equals(FLUSHED)) throw new HeaderFault("a block of headers is not flushed")
    const options: ZlibOptions = {
      ...(this.window.length === 0 ? {} : { dictionary: this.window }),
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_BLOCK_BYTES,
      chunkSize: 1024
    }
    try {
      return inflateRawSync(data, options)
    } catch (cause) {
      throw new HeaderFault("a block of headers cannot be decompressed, or is too long", { cause })
    }
  }
}

const STREAM_HEAD = Buffer.from([0x78, 0xbb, 0, 0, 0, 0])
STREAM_HEAD.writeUInt32BE(DICTIONARY_ID, ZLIB_HEADER_BYTES)
/** A piece that is stored as it is, of at most 65,535 bytes. */
const stored = (text: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(text.length, 1)
  head.writeUInt16LE(~text.length & 0xffff, 3)
  return Buffer.concat([head, text])
}

const headersBlock = (headers: SpdyHeaders): Buffer => {
  const integer = (value: number): Buffer => {
    const bytes = Buffer.alloc(LENGTH_BYTES)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const texts = [...headers].flat().map((text) => Buffer.from(text, "latin1"))
  return Buffer.concat([integer(headers.size), ...texts.flatMap((text) => [integer(text.length), text])])
}

/**
 * Writes the blocks of one direction. The headers are stored in the zlib stream, and not compressed: so no state is
 * needed, and the answers to new streams have no headers anyway.
 */
export class HeaderEncoder {
  private hasBegun = false

  encode(headers: SpdyHeaders): Buffer {
    const head = this.hasBegun ? Buffer.alloc(0) : STREAM_HEAD
    this.hasBegun = true
    return Buffer.concat([head, stored(headersBlock(headers)), stored(Buffer.alloc(0))])
  }
}
