import { assert, describe, it } from "@effect/vitest"
import { Expectations } from "../src/Expectations.ts"

describe("Expectations", () => {
  it("blocks a set until all requested changes were observed", () => {
    const expectations = new Expectations()
    assert.isTrue(expectations.satisfied("set", 0))
    expectations.expectCreations("set", 3, 0)
    expectations.creationObserved("set")
    expectations.creationObserved("set")
    assert.isFalse(expectations.satisfied("set", 1))
    expectations.creationObserved("set")
    assert.isTrue(expectations.satisfied("set", 1))
  })

  it("counts a deletion once, however often it is observed", () => {
    const expectations = new Expectations()
    expectations.expectDeletions("set", ["a", "b"], 0)
    expectations.deletionObserved("set", "a")
    expectations.deletionObserved("set", "a")
    expectations.deletionObserved("set", "c")
    assert.isFalse(expectations.satisfied("set", 1))
    expectations.deletionObserved("set", "b")
    assert.isTrue(expectations.satisfied("set", 1))
  })

  it("gives up after five minutes, and knows nothing of other sets", () => {
    const expectations = new Expectations()
    expectations.expectCreations("set", 1, 1000)
    assert.isFalse(expectations.satisfied("set", 301_000))
    assert.isTrue(expectations.satisfied("set", 301_001))
    assert.isTrue(expectations.satisfied("other", 1000))
    expectations.expectCreations("set", 1, 400_000)
    expectations.forget("set")
    assert.isTrue(expectations.satisfied("set", 400_000))
  })
})
