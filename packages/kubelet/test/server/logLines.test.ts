import { assert, describe, it } from "vitest"
import { LogLines } from "../../src/server/streams/LogLines.ts"
import { LogMemory } from "../../src/server/streams/LogMemory.ts"
import { LogReader } from "../../src/server/streams/LogReader.ts"
import type { LogOptions } from "../../src/server/streams/logOptions.ts"

const options: LogOptions = {
  follow: true,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  limitBytes: undefined,
  sinceMs: undefined
}

const setUp = (memory = new LogMemory()) => {
  const lines = new LogLines(memory, { maxBytes: 10 * 1024 * 1024, intervalMs: 10_000 }, 0)
  const holder = {
    get heldBytes() {
      return lines.heldBytes
    },
    dropHalf: () => lines.dropHalf(),
    release: () => memory.leave(holder)
  }
  memory.join(holder)
  /** A reader whose client has room for so many characters. */
  const reader = (room: number, given: Partial<LogOptions> = {}) => {
    const state = { text: "", room }
    const client = {
      write: (_: 1 | 2, text: string) => {
        state.text += text
        state.room -= text.length
      },
      isFull: () => state.room <= 0,
      end: () => {}
    }
    return { state, reader: new LogReader({ ...options, ...given }, client, lines) }
  }
  return { holder, lines, memory, reader }
}

describe("the lines of a log", () => {
  it("are the last ones of the size from which a log is rotated, until it is", () => {
    const { lines, reader } = setUp()
    const each = 1024 - 40
    for (let line = 0; line < 10 * 1024 + 5; line++) lines.write(line, `${String(line).padStart(each - 1)}\n`)
    assert.deepStrictEqual([lines.first, lines.end], [5, 10 * 1024 + 5])
    assert.strictEqual(lines.firstSince(7), 7)
    assert.strictEqual(lines.firstSince(3), 5)
    const { reader: late, state } = reader(1)
    late.begin(0, undefined, false)
    assert.strictEqual(late.send(), "behind")
    assert.match(state.text, /^ *5\n *6\n/)
  })

  it("come in order to a reader that pauses, without those that are dropped meanwhile", () => {
    const { lines, reader } = setUp()
    for (let line = 0; line < 10; line++) lines.write(line, `${line}\n`)
    const { reader: slow, state } = reader(0)
    slow.begin(0, undefined, false)
    assert.strictEqual(slow.send(), "behind")
    state.room = 1
    lines.dropHalf()
    lines.write(10, "10\n11")
    assert.strictEqual(slow.send(), "current")
    assert.strictEqual(state.text, "5\n6\n7\n8\n9\n10\n")
    slow.endHere({ atMs: 11, text: lines.unfinished })
    assert.strictEqual(slow.send(), "behind")
    state.room = 1
    assert.strictEqual(slow.send(), "done")
    assert.strictEqual(state.text, "5\n6\n7\n8\n9\n10\n11")
  })

  it("are in pieces if they are long, with one time and whole characters", () => {
    const { lines, reader } = setUp()
    const text = `x${"😀".repeat(20_000)}`
    lines.write(0, text)
    lines.write(1, `${text}\nnext\n`)
    assert.isAtMost(lines.unfinished.length, 16 * 1024)
    assert.isAbove(lines.end, 5)
    for (let number = 0; number < lines.end; number++) {
      const piece = lines.at(number).text
      assert.isTrue(piece.isWellFormed() && piece.length <= 16 * 1024)
    }
    const { reader: all, state } = reader(Number.POSITIVE_INFINITY, { timestamps: true })
    all.begin(0, undefined, true)
    assert.strictEqual(all.send(), "done")
    assert.strictEqual(
      state.text,
      `1970-01-01T00:00:00.000000000Z ${text}${text}\n1970-01-01T00:00:00.001000000Z next\n`
    )
  })
})

describe("the memory of logs", () => {
  it("is bounded for all together: the largest loses its older half", () => {
    const memory = new LogMemory(1024 * 1024)
    const logs = Array.from({ length: 50 }, () => setUp(memory))
    let most = 0
    for (let count = 0; count < 20_000; count++) {
      // The first one writes more than all others.
      const lines = logs[count % 2 === 0 ? 0 : count % 50]?.lines
      lines?.write(count, `${count} ${"x".repeat(100)}\n`)
      most = Math.max(most, memory.heldBytes)
    }
    assert.isAtMost(most, 1024 * 1024)
    const [noisy, ...others] = logs
    assert.isAbove(noisy?.lines.first ?? 0, 0)
    for (const { lines } of others) assert.isTrue(lines.first === 0 || lines.heldBytes > (1024 * 1024) / 200)
    for (const { holder } of logs) holder.release()
    for (const { holder } of logs) holder.release()
    assert.strictEqual(memory.heldBytes, 0)
  })

  it("keeps few logs without a reader", () => {
    const memory = new LogMemory()
    const logs = Array.from({ length: 70 }, () => setUp(memory))
    for (const { holder, lines } of logs) {
      lines.write(0, `${"x".repeat(1000)}\n`)
      memory.setIdle(holder, true)
    }
    assert.strictEqual(memory.heldBytes, 64 * (1001 + 160))
    const kept = memory.heldBytes
    for (const { holder } of logs.slice(-10)) memory.setIdle(holder, false)
    assert.strictEqual(memory.heldBytes, kept)
  })
})
