import { assert, describe, it } from "@effect/vitest"
import { remembering, type TokenAnswer } from "../../src/security/authentication/authenticators.ts"

describe("an accepted token", () => {
  const accepted: TokenAnswer = { user: { user: "bob", groups: [] }, audiences: ["a"] }

  it("is accepted for ten seconds, whatever becomes of its user", () => {
    let [nowMs, answer]: [number, TokenAnswer | undefined] = [0, accepted]
    const lookup = remembering(
      () => answer,
      () => nowMs
    )
    assert.strictEqual(lookup("t", ["a"]), accepted)
    answer = { error: "gone" }
    nowMs = 9_999
    assert.strictEqual(lookup("t", ["a"]), accepted)
    assert.deepStrictEqual(lookup("t", ["b"]), answer)
    nowMs = 10_000
    assert.deepStrictEqual(lookup("t", ["a"]), answer)
  })

  it("is looked up anew after a refusal", () => {
    let answer: TokenAnswer | undefined = { error: "unknown" }
    const lookup = remembering(
      () => answer,
      () => 0
    )
    assert.deepStrictEqual(lookup("t", ["a"]), { error: "unknown" })
    answer = accepted
    assert.strictEqual(lookup("t", ["a"]), accepted)
  })
})
