import { assert, describe, it } from "vitest"
import { pace } from "../src/pace.ts"

describe("pace", () => {
  it("is told of events that follow each other evenly", () => {
    assert.strictEqual(pace([60, 70, 80, 90.04]), ", one each 10s")
    assert.strictEqual(pace([0, 100, 201, 300]), ", one each 100s")
  })

  it("is the least distance of others", () => {
    assert.strictEqual(pace([340.7, 360.7, 370.7, 380.7]), ", at least 10s apart")
  })

  it("is not told of events that come together, though the last is late", () => {
    assert.strictEqual(pace([1021, 1021, 1021, 1026, 1031]), "")
  })

  it("is not told of two", () => {
    assert.strictEqual(pace([0, 10]), "")
  })
})
