import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { HeaderEncoder } from "../../src/spdy/headerBlocks.ts"
import { SpdySession, type SpdyStream } from "../../src/spdy/SpdySession.ts"
import { spdyFrames } from "../../src/spdy/spdyFrames.ts"
import { SpdyClient } from "../../src/testing/SpdyClient.ts"

/** A session whose streams repeat their input, and a client of it. */
const setUp = () => {
  const events: Array<string> = []
  const streams: Array<SpdyStream> = []
  let closed = 0
  const turns: Array<() => void> = []
  const session: SpdySession = new SpdySession(
    {
      write: (bytes) => client.read(bytes),
      close: () => void closed++,
      later: (act) => void turns.push(act)
    },
    {
      accept: (stream) => {
        if (stream.headers.get("refuse") !== undefined) return undefined
        streams.push(stream)
        return {
          opened: () => events.push(`open ${stream.id}`),
          data: (data) => stream.write(data),
          ended: (isReset) => {
            events.push(`${isReset ? "reset" : "end"} ${stream.id}`)
            stream.end()
          }
        }
      },
      closed: () => events.push("closed")
    }
  )
  const client = new SpdyClient((bytes) => session.read(bytes))
  return { session, client, events, streams, turns, closed: () => closed }
}

describe("a session of SPDY", () => {
  it("answers streams, carries their data, and ends each side by itself", () => {
    const { client, events } = setUp()
    const [first, second] = [client.open({ a: "1" }), client.open({ a: "2" })]
    client.send(first, "hel")
    client.send(second, "other")
    client.send(first, "lo", true)
    const told = { text: "hello", isReplied: true, isEnded: true, isReset: false }
    assert.deepStrictEqual(client.of(first), told)
    assert.deepStrictEqual(client.of(second), { ...told, text: "other", isEnded: false })
    // What comes after the end of a stream is dropped.
    client.send(first, "more")
    assert.strictEqual(client.of(first).text, "hello")
    assert.deepStrictEqual(events, ["open 1", "open 3", "end 1"])
  })

  it("refuses streams by themselves", () => {
    const { client } = setUp()
    assert.isTrue(client.of(client.open({ refuse: "" })).isReset)
    const odd = setUp()
    const encoder = new HeaderEncoder()
    for (const id of [2, 9, 7]) odd.session.read(spdyFrames.open(id, encoder.encode(new Map())))
    assert.deepStrictEqual(
      [2, 9, 7].map((id) => odd.client.of(id).isReset),
      [true, false, true]
    )
  })

  it("answers the pings of its client, not its own", () => {
    const { client, session } = setUp()
    for (const id of [1, 2, 3]) session.read(spdyFrames.ping(id))
    assert.deepStrictEqual(client.pings, [1, 3])
  })

  it("handles many frames at once in turns, and what comes meanwhile after them", () => {
    const { client, session, turns } = setUp()
    const pings = (from: number, count: number) =>
      Buffer.concat(Array.from({ length: count }, (_, index) => spdyFrames.ping(from + 2 * index)))
    session.read(pings(1, 100))
    assert.lengthOf(client.pings, 64)
    session.read(pings(201, 100))
    assert.lengthOf(client.pings, 64)
    turns.shift()?.()
    assert.lengthOf(client.pings, 128)
    while (turns.length > 0) turns.shift()?.()
    assert.deepStrictEqual(
      client.pings,
      Array.from({ length: 200 }, (_, index) => 1 + 2 * index)
    )
    session.read(pings(1, 100))
    session.close()
    turns.shift()?.()
    assert.lengthOf(client.pings, 264)
  })

  it("ends all streams with the connection, once", () => {
    for (const last of [spdyFrames.goAway(0, 0), spdyFrames.data(0, Buffer.from("x"))]) {
      const { client, closed, events, session } = setUp()
      client.open({})
      session.read(last)
      session.read(spdyFrames.ping(1))
      session.close()
      session.finish()
      assert.deepStrictEqual(events, ["open 1", "closed", "reset 1"])
      assert.deepStrictEqual([client.pings, client.hasGoneAway, closed()], [[], true, 1])
    }
  })

  it("ends when a client opens too many streams, not when it has closed them", () => {
    const { client, closed, streams } = setUp()
    for (let count = 0; count < 3000; count++) client.send(client.open({}), "", true)
    assert.strictEqual(closed(), 0)
    for (let count = 0; count < 1024; count++) client.open({})
    assert.strictEqual(closed(), 0)
    client.open({})
    assert.deepStrictEqual([closed(), client.hasGoneAway, streams.length], [1, true, 4024])
  })

  it("survives any bytes: they end it, or do not", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 10 }), (pieces) => {
        const { client, closed, events, session } = setUp()
        client.open({})
        // Most of them are then frames of data, or of control.
        for (const piece of pieces) session.read(Buffer.from(piece))
        session.close()
        assert.isAtMost(closed(), 1)
        assert.strictEqual(events.filter((event) => event === "closed").length, 1)
      })
    )
  })
})
