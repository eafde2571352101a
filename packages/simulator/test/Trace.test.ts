import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { assert, describe, it } from "vitest"
import { makeTrace } from "../src/trace/Trace.ts"
import type { TraceEntry } from "../src/trace/TraceEntry.ts"

describe("a trace", () => {
  it("passes each entry to listeners, with its time in virtual seconds to the millisecond", () => {
    let nowMs = 1_234.5678
    const heard: Array<TraceEntry> = []
    const trace = makeTrace({ elapsedMs: () => nowMs })
    trace.listen((entry) => heard.push(entry))
    trace.add("NodeRegistered", { node: "a-0" })
    nowMs = 120_000
    trace.add("FaultStarted", { fault: "partition", nodes: ["a-0"] })
    assert.deepStrictEqual(heard, [
      { at: 1.235, type: "NodeRegistered", node: "a-0" },
      { at: 120, type: "FaultStarted", fault: "partition", nodes: ["a-0"] }
    ])
    assert.deepStrictEqual(trace.entries(), heard)
  })

  it("has the digest of its JSON lines", () => {
    const trace = makeTrace({ elapsedMs: () => 1_500 })
    trace.add("NodeRegistered", { node: "ä-0" })
    trace.add("NodeDeleted", { node: "ä-0" })
    const lines = '{"at":1.5,"type":"NodeRegistered","node":"ä-0"}\n{"at":1.5,"type":"NodeDeleted","node":"ä-0"}\n'
    assert.strictEqual(trace.digest(), `sha256:${bytesToHex(sha256(utf8ToBytes(lines)))}`)
  })

  it("has the digest of many entries, whose text is hashed in parts", () => {
    const trace = makeTrace({ elapsedMs: () => 1_500 })
    let lines = ""
    for (let index = 0; index < 1000; index++) {
      trace.add("NodeRegistered", { node: `🛰-${index}` })
      lines += `{"at":1.5,"type":"NodeRegistered","node":"🛰-${index}"}\n`
    }
    assert.strictEqual(trace.digest(), `sha256:${bytesToHex(sha256(utf8ToBytes(lines)))}`)
  })

  it("can return its digest between entries", () => {
    const whole = makeTrace({ elapsedMs: () => 0 })
    const asked = makeTrace({ elapsedMs: () => 0 })
    const empty = asked.digest()
    for (const trace of [whole, asked]) trace.add("NodeRegistered", { node: "a" })
    assert.notStrictEqual(asked.digest(), empty)
    for (const trace of [whole, asked]) trace.add("NodeRegistered", { node: "b" })
    assert.strictEqual(asked.digest(), whole.digest())
  })

  it("has a different digest for a different order", () => {
    const [one, other] = [makeTrace({ elapsedMs: () => 0 }), makeTrace({ elapsedMs: () => 0 })]
    for (const node of ["a", "b"]) one.add("NodeRegistered", { node })
    for (const node of ["b", "a"]) other.add("NodeRegistered", { node })
    assert.notStrictEqual(one.digest(), other.digest())
  })
})
