import { expect, it } from "vitest"
import { readTimes } from "../../src/load/readTimes.ts"

const event = (time: string) => `{"type":"MODIFIED","object":{"spec":{"renewTime":"${time}"},"x":"renewTim"}}\n`
const FIRST = "2026-01-01T00:00:00.123456Z"
const SECOND = "2026-01-01T00:00:01.000007Z"

it("tells each time once, wherever a read ends", () => {
  const bytes = Buffer.from(event(FIRST) + event(SECOND))
  const expected = [Date.parse("2026-01-01T00:00:00.123Z") + 0.456, Date.parse("2026-01-01T00:00:01.000Z") + 0.007]
  const shared = Buffer.alloc(bytes.length)
  for (let at = 0; at <= bytes.length; at++) {
    const told: Array<number> = []
    const read = readTimes((sentMs) => void told.push(sentMs))
    for (const piece of [bytes.subarray(0, at), bytes.subarray(at)]) {
      shared.set(piece)
      read(shared.subarray(0, piece.length))
    }
    expect(told).toEqual(expected)
  }
})
