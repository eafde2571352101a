import { assert, describe, it } from "@effect/vitest"
import type { WatchEvent } from "@rollcall/cluster"
import { EventEncoder, type EventShape, plainEvents } from "../../src/http/resources/encodeEvent.ts"
import { WatchBacklog } from "../../src/http/resources/WatchStream.ts"

const KIB = 1024
const MIB = 1024 * KIB

const eventOf = (name: string, size = 0): WatchEvent => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(size) } }
  return { type: "ADDED", object }
}

/** Encodes an event as its name, and tells what was encoded. */
const makeRecordingEncoder = () => {
  const encoded: Array<string> = []
  const encode = ({ object }: WatchEvent) => {
    const { name = "" } = (object as { readonly metadata: { readonly name?: string } }).metadata
    encoded.push(name)
    return Buffer.from(name)
  }
  return { encoded, encode }
}

const texts = (frames: ReadonlyArray<Buffer>) => frames.map(String)

describe("the events that wait for a client", () => {
  it("are encoded as they are taken, and only as many as requested", () => {
    const backlog = new WatchBacklog()
    const { encode, encoded } = makeRecordingEncoder()
    backlog.addEvents(["aa", "bb", "cc", "dd"].map((name) => eventOf(name)))
    assert.deepStrictEqual(texts(backlog.take(3, encode)), ["aa", "bb"])
    assert.deepStrictEqual([encoded, backlog.events, backlog.bytes], [["aa", "bb"], 2, 0])
    assert.deepStrictEqual(texts(backlog.take(0, encode)), ["cc"])
    backlog.addFrame(Buffer.from("eee"))
    assert.deepStrictEqual([backlog.events, backlog.bytes, backlog.isEmpty], [1, 3, false])
    assert.deepStrictEqual(texts(backlog.take(100, encode)), ["dd", "eee"])
    assert.deepStrictEqual([backlog.events, backlog.bytes, backlog.isEmpty], [0, 0, true])
    assert.deepStrictEqual(texts(backlog.take(100, encode)), [])
  })

  it("report the size of the next frame, and keep no other frame", () => {
    const backlog = new WatchBacklog()
    const { encode, encoded } = makeRecordingEncoder()
    assert.strictEqual(backlog.nextBytes(encode), 0)
    backlog.addEvents([eventOf("abc")])
    assert.deepStrictEqual([backlog.nextBytes(encode), backlog.nextBytes(encode)], [3, 3])
    assert.deepStrictEqual([encoded, backlog.bytes, backlog.events], [["abc"], 0, 1])
    assert.deepStrictEqual(texts(backlog.take(1, encode)), ["abc"])
    backlog.addFrame(Buffer.from("de"))
    assert.strictEqual(backlog.nextBytes(encode), 2)
  })

  it("are delivered in order however many are added and taken", () => {
    const backlog = new WatchBacklog()
    const { encode } = makeRecordingEncoder()
    const names = Array.from({ length: 10_000 }, (_, index) => String(index))
    const taken: Array<string> = []
    for (let at = 0; at < names.length; at += 4) {
      backlog.addEvents(names.slice(at, at + 4).map((name) => eventOf(name)))
      if (at % 3 === 0) taken.push(...texts(backlog.take(20, encode)))
    }
    while (!backlog.isEmpty) taken.push(...texts(backlog.take(20, encode)))
    assert.deepStrictEqual(taken, names)
  })
})

describe("the frames of events", () => {
  it("are encoded for each event where they contain ages", () => {
    let made = 0
    const aging: EventShape = { key: "table", firstDiffers: true, object: () => ({ age: made++ }) }
    const encoder = new EventEncoder()
    const event = eventOf("a")
    const texts = [event, event, { ...event }].map((one) => String(encoder.frame(one, aging, "json", false)))
    assert.deepStrictEqual([texts[0] === texts[1], texts[1] === texts[2], made], [true, false, 2])
  })

  it("are joined once for watches that are sent the same ones", () => {
    const encoder = new EventEncoder()
    const [a, b, c] = ["a", "b", "c"].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
    assert.strictEqual(encoder.joined([a]), a)
    const first = encoder.joined([a, b])
    assert.strictEqual(encoder.joined([a, b]), first)
    const others = [[a, c], [a, b, c], [a, b], []].map((frames) => String(encoder.joined(frames)))
    assert.deepStrictEqual([String(first), ...others], ["ab", "ac", "abc", "ab", ""])
  })

  it("are encoded once for all watchers, and cached by the newest, within limits", () => {
    const encoder = new EventEncoder()
    const events = Array.from({ length: 100 }, (_, index) => eventOf(`m-${index}`, 500 * KIB))
    for (const event of events) {
      const frame = encoder.frame(event, plainEvents, "json", false)
      assert.strictEqual(encoder.frame({ ...event }, plainEvents, "json", true), frame)
      const deleted = encoder.frame({ ...event, type: "DELETED" } as WatchEvent, plainEvents, "json", true)
      assert.include(deleted.toString("utf8", 0, 20), "DELETED")
      assert.isAtMost(encoder.keptBytes, 8 * MIB)
    }
  })
})
