import { assert, describe, it } from "vitest"
import { paceText } from "../src/pace.ts"

describe("paceText", () => {
  it("is reported for events at even intervals", () => {
    assert.strictEqual(paceText([60, 70, 80, 90.04]), ", one each 10s")
    assert.strictEqual(paceText([0, 100, 201, 300]), ", one each 100s")
  })

  it("is the least interval of other events", () => {
    assert.strictEqual(paceText([340.7, 360.7, 370.7, 380.7]), ", at least 10s apart")
  })

  it("is not reported for simultaneous events, even if the last is late", () => {
    assert.strictEqual(paceText([1021, 1021, 1021, 1026, 1031]), "")
  })

  it("is not reported for two events", () => {
    assert.strictEqual(paceText([0, 10]), "")
  })
})
