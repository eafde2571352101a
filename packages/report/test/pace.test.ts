import { assert, describe, it } from "vitest"
import { pace } from "../src/pace.ts"

describe("pace", () => {
  it("is reported for events at even intervals", () => {
    assert.strictEqual(pace([60, 70, 80, 90.04]), ", one each 10s")
    assert.strictEqual(pace([0, 100, 201, 300]), ", one each 100s")
  })

  it("is the least interval of other events", () => {
    assert.strictEqual(pace([340.7, 360.7, 370.7, 380.7]), ", at least 10s apart")
  })

  it("is not reported for simultaneous events, even if the last is late", () => {
    assert.strictEqual(pace([1021, 1021, 1021, 1026, 1031]), "")
  })

  it("is not reported for two events", () => {
    assert.strictEqual(pace([0, 10]), "")
  })
})
