import { assert, describe, it } from "vitest"
import { LogMemory } from "../../src/server/streams/LogMemory.ts"
import { LogWriter } from "../../src/server/streams/LogWriter.ts"
import type { LogOptions } from "../../src/server/streams/logOptions.ts"

const options: LogOptions = {
  follow: true,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  limitBytes: undefined,
  sinceMs: undefined
}

/** A client that reads so many characters, then no more until it is told to. */
const makeClient = (reads: number) => {
  const state = { text: "", room: reads }
  const client = {
    write: (_: 1 | 2, text: string) => {
      state.text += text
      state.room -= text.length
    },
    isFull: () => state.room <= 0,
    end: () => {}
  }
  return { state, client }
}

describe("the log of a client that does not read on", () => {
  it("waits, and comes whole and in order when it does", () => {
    const { client, state } = makeClient(10)
    const writer = new LogWriter(options, client, new LogMemory())
    for (let line = 0; line < 10; line++) writer.write(line, `past ${line}\n`)
    writer.catchUp()
    assert.strictEqual(state.text, "past 0\npast 1\n")
    writer.write(10, "now\n")
    assert.isFalse(writer.flush())
    state.room = 1000
    assert.isTrue(writer.flush())
    writer.write(11, "then\n")
    const past = Array.from({ length: 10 }, (_, line) => `past ${line}\n`).join("")
    assert.strictEqual(state.text, `${past}now\nthen\n`)
  })

  it("keeps less of its past, the more such clients there are", () => {
    const memory = new LogMemory()
    const share = memory.share
    const held = Array.from({ length: 400 }, () => memory.hold())
    assert.isAtMost(400 * memory.share, 128 * 1024 * 1024)
    const { client, state } = makeClient(Number.POSITIVE_INFINITY)
    const writer = new LogWriter(options, client, memory)
    const line = `${"x".repeat(1023)}\n`
    for (let count = 0; count < 1000; count++) writer.write(count, line)
    writer.catchUp()
    assert.isAtMost(state.text.length, memory.share)
    assert.isAbove(state.text.length, memory.share / 2)
    for (const release of held) release()
    for (const release of held) release()
    assert.strictEqual(memory.share, share)
  })

  it("counts what a short line takes besides its characters", () => {
    const memory = new LogMemory()
    for (let count = 0; count < 400; count++) memory.hold()
    const { client, state } = makeClient(Number.POSITIVE_INFINITY)
    const writer = new LogWriter(options, client, memory)
    for (let count = 0; count < 10_000; count++) writer.write(count, "x\n")
    writer.catchUp()
    assert.isAtMost(state.text.length, (memory.share / 100) * 2)
  })
})
