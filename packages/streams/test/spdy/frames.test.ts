import { constants, createDeflate, deflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { spdyDictionary } from "../../src/spdy/dictionary.ts"
import { HeaderDecoder, HeaderEncoder, HeaderFault, type SpdyHeaders } from "../../src/spdy/headerBlocks.ts"
import { type OpenedStream, SpdyReader, spdyFrames } from "../../src/spdy/spdyFrames.ts"

const lengthOf = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const blockOf = (headers: Iterable<readonly [string, string]>): Buffer => {
  const all = [...headers]
  return Buffer.concat([
    lengthOf(all.length),
    ...all.flat().flatMap((text) => [lengthOf(text.length), Buffer.from(text, "latin1")])
  ])
}

/** Compresses blocks as Go's compress/zlib does: one stream with the dictionary, flushed after each block. */
const compress = async (blocks: ReadonlyArray<Buffer>, dictionary?: Buffer): Promise<ReadonlyArray<Buffer>> => {
  const deflate = createDeflate({ level: 9, ...(dictionary === undefined ? {} : { dictionary }) })
  let pieces: Array<Buffer> = []
  deflate.on("data", (piece: Buffer) => pieces.push(piece))
  const compressed: Array<Buffer> = []
  for (const block of blocks) {
    deflate.write(block)
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve))
    compressed.push(Buffer.concat(pieces))
    pieces = []
  }
  deflate.destroy()
  return compressed
}

/** The text of a block is bytes, each a character. */
const headerText = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 40
})
const anyHeaders = fc
  .array(fc.tuple(fc.stringMatching(/^[a-z-]{1,12}$/), headerText), { maxLength: 10 })
  .map((entries) => new Map(entries))

const entries = (headers: SpdyHeaders) => [...headers]

describe("blocks of headers", () => {
  it("has the dictionary of the specification", () => {
    assert.lengthOf(spdyDictionary, 1423)
  })

  it("reads what zlib compresses, block after block", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyHeaders, { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        async (all, hasDictionary) => {
          const decoder = new HeaderDecoder()
          const blocks = await compress(all.map(blockOf), hasDictionary ? spdyDictionary : undefined)
          for (const [index, block] of blocks.entries()) {
            assert.deepStrictEqual(entries(decoder.decode(block)), entries(all[index] ?? new Map()))
          }
        }
      ),
      { numRuns: 30 }
    )
  })

  it("reads what it has written, further back than the window", () => {
    fc.assert(
      fc.property(fc.array(anyHeaders, { maxLength: 10 }), (all) => {
        const [encoder, decoder] = [new HeaderEncoder(), new HeaderDecoder()]
        const large = new Map([["x", "y".repeat(10_000)]])
        for (const headers of [...all, large, large, large, large, ...all]) {
          assert.deepStrictEqual(entries(decoder.decode(encoder.encode(headers))), entries(headers))
        }
      }),
      { numRuns: 20 }
    )
  })

  it("refuses bombs, and what is cut off or not its own", async () => {
    const refused = async (block: Buffer) => {
      const [compressed = Buffer.alloc(0)] = await compress([block], spdyDictionary)
      assert.throws(() => new HeaderDecoder().decode(compressed), HeaderFault)
    }
    // A thousand bytes that become a megabyte, and more that become sixteen.
    await refused(blockOf([["x", "y".repeat(1024 * 1024)]]))
    await refused(Buffer.alloc(16 * 1024 * 1024))
    await refused(lengthOf(0xffff_ffff))
    await refused(blockOf(Array.from({ length: 101 }, (_, index) => [`h${index}`, ""] as const)))
    await refused(Buffer.concat([lengthOf(1), lengthOf(0xffff_ffff)]))
    await refused(blockOf([["Upper", ""]]))
    await refused(
      blockOf([
        ["twice", ""],
        ["twice", ""]
      ])
    )
    await refused(Buffer.concat([blockOf([]), Buffer.of(0)]))
    await refused(Buffer.alloc(3))
    const unflushed = deflateRawSync(blockOf([]), { dictionary: spdyDictionary })
    const head = Buffer.concat([Buffer.from([0x78, 0xbb]), lengthOf(0xe3c6a7c2)])
    for (const wrong of [
      Buffer.concat([head, unflushed]),
      Buffer.concat([Buffer.from([0x78, 0xbb]), lengthOf(1), Buffer.from([0, 0, 0xff, 0xff])]),
      Buffer.from("GET / HTTP/1.1"),
      Buffer.alloc(0)
    ]) {
      assert.throws(() => new HeaderDecoder().decode(wrong), HeaderFault)
    }
  })
})

const eventsOf = (chunks: ReadonlyArray<Buffer>) => {
  const events: Array<unknown> = []
  const data = new Map<number, string>()
  const reader = new SpdyReader({
    onStream: ({ headers, ...stream }: OpenedStream) => events.push(["open", stream, entries(headers)]),
    onReply: (id) => events.push(["reply", id]),
    onData: (id, bytes, isLast) => {
      data.set(id, (data.get(id) ?? "") + bytes.toString("latin1"))
      if (isLast) events.push(["end", id])
    },
    onReset: (id) => events.push(["reset", id]),
    onPing: (id) => events.push(["ping", id]),
    onGoAway: () => events.push(["goAway"]),
    onFault: (problem) => events.push(["fault", problem])
  })
  for (const chunk of chunks) reader.read(chunk)
  return { events, data: [...data] }
}

/** Cuts bytes at these places. */
const cut = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

const places = fc.array(fc.nat({ max: 100_000 }), { maxLength: 20 })

const conversation = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("open" as const), headers: anyHeaders }),
    fc.record({ kind: fc.constant("data" as const), data: fc.uint8Array({ maxLength: 300 }), isLast: fc.boolean() }),
    fc.record({ kind: fc.constantFrom("reset" as const, "ping" as const, "goAway" as const) })
  ),
  { maxLength: 12 }
)

type Said =
  | { readonly kind: "open"; readonly headers: SpdyHeaders }
  | { readonly kind: "data"; readonly data: Uint8Array; readonly isLast: boolean }
  | { readonly kind: "reset" | "ping" | "goAway" }

const framesOf = (all: ReadonlyArray<Said>): Buffer => {
  const encoder = new HeaderEncoder()
  return Buffer.concat(
    all.map((one, index) => {
      const id = 2 * index + 1
      if (one.kind === "open") return spdyFrames.open(id, encoder.encode(one.headers))
      if (one.kind === "data") return spdyFrames.data(id, one.data, one.isLast)
      return one.kind === "reset"
        ? spdyFrames.reset(id, 1)
        : one.kind === "ping"
          ? spdyFrames.ping(id)
          : spdyFrames.goAway(id, 0)
    })
  )
}

describe("frames of SPDY", () => {
  it("mean the same however they arrive", () => {
    fc.assert(
      fc.property(conversation, places, (all, at) => {
        const bytes = framesOf(all)
        assert.deepStrictEqual(eventsOf(cut(bytes, at)), eventsOf([bytes]))
        assert.lengthOf(
          eventsOf([bytes]).events.filter((event) => Array.isArray(event) && event[0] === "fault"),
          0
        )
      })
    )
  })

  it("that are cut off ask for nothing more, and garbage ends the reading once", () => {
    fc.assert(
      fc.property(conversation, fc.nat({ max: 2_000 }), fc.uint8Array({ maxLength: 200 }), (all, length, garbage) => {
        const bytes = framesOf(all)
        const whole = eventsOf([bytes])
        const part = eventsOf([bytes.subarray(0, length)])
        assert.deepStrictEqual(part.events, whole.events.slice(0, part.events.length))
        const odd = eventsOf(cut(Buffer.concat([bytes, garbage]), [length]))
        assert.isAtMost(odd.events.filter((event) => Array.isArray(event) && event[0] === "fault").length, 1)
      })
    )
  })

  it("end the reading when they are of another version, unknown, too long or too short", () => {
    const faultOf = (bytes: Buffer) => eventsOf([bytes, spdyFrames.ping(1)]).events
    const version = spdyFrames.ping(1)
    version[1] = 2
    assert.deepStrictEqual(faultOf(version), [["fault", "a frame of another version"]])
    const unknown = spdyFrames.ping(1)
    unknown[3] = 99
    assert.deepStrictEqual(faultOf(unknown), [["fault", "a frame of type 99"]])
    const huge = spdyFrames.ping(1)
    huge.writeUIntBE(0xffffff, 5, 3)
    assert.deepStrictEqual(faultOf(huge), [["fault", "a control frame of 16777215 bytes"]])
    const short = Buffer.concat([spdyFrames.reset(1, 1).subarray(0, 8), Buffer.alloc(4)])
    short.writeUIntBE(4, 5, 3)
    assert.deepStrictEqual(faultOf(short), [["fault", "a frame of type 3 that is too short"]])
    assert.deepStrictEqual(faultOf(spdyFrames.data(0, Buffer.from("x"))), [["fault", "data of stream 0"]])
    assert.deepStrictEqual(faultOf(spdyFrames.open(0, new HeaderEncoder().encode(new Map()))), [
      ["fault", "a stream with the number 0"]
    ])
  })

  it("of data may be as long as they can be, and are not gathered", () => {
    const long = spdyFrames.data(1, Buffer.alloc(0x1_000_000 + 5, 0x61), true)
    assert.lengthOf(long, 0x1_000_000 + 5 + 2 * 8)
    let largest = 0
    let total = 0
    let ends = 0
    const none = () => {}
    const reader = new SpdyReader({
      onStream: none,
      onReply: none,
      onReset: none,
      onPing: none,
      onGoAway: none,
      onFault: none,
      onData: (_, bytes, isLast) => {
        largest = Math.max(largest, bytes.length)
        total += bytes.length
        ends += isLast ? 1 : 0
      }
    })
    for (let at = 0; at < long.length; at += 1000) reader.read(long.subarray(at, at + 1000))
    assert.deepStrictEqual([total, ends, largest <= 1000], [0x1_000_000 + 5, 1, true])
  })
})
