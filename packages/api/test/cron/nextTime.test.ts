import { assert, describe, it } from "@effect/vitest"
import { NEVER, nextTime, parseCronSchedule } from "@rollcall/api"
import * as Result from "effect/Result"
import * as fc from "fast-check"

const next = (text: string, after: string): string => {
  const time = nextTime(Result.getOrThrow(parseCronSchedule(text)), Date.parse(after))
  return time === NEVER ? "never" : new Date(time).toISOString()
}

describe("nextTime", () => {
  it("ends where a zone left out a day, which upstream's search does not", () => {
    assert.strictEqual(next("TZ=Pacific/Apia 0 9 * * 6", "2011-12-29T00:00:00Z"), "2011-12-30T19:00:00.000Z")
  })

  it("ends at once for a field that matches nothing", () => {
    for (const text of [", * * * *", "* , * * *", "* * * , *"])
      assert.strictEqual(next(text, "2026-01-01T00:00:00Z"), "never")
  })

  it("is after the time, on a whole minute, and the first that the schedule has", () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 5 })
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        minutes,
        hours,
        fc.date({ min: new Date("2000-01-01"), max: new Date("2050-01-01"), noInvalidDate: true }),
        (m, h, date) => {
          const after = date.getTime()
          const time = nextTime(Result.getOrThrow(parseCronSchedule(`${m.join(",")} ${h.join(",")} * * *`)), after)
          let expected = (Math.floor(after / 60_000) + 1) * 60_000
          const matches = (at: Date) => m.includes(at.getUTCMinutes()) && h.includes(at.getUTCHours())
          while (!matches(new Date(expected))) expected += 60_000
          assert.strictEqual(time, expected)
        }
      )
    )
  })
})
