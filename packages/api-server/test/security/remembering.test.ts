import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { bearerTokens, remembering, type TokenAnswer } from "../../src/security/authentication/authenticators.ts"

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

  it("is accepted for the same audiences, in whatever list", () => {
    let lookups = 0
    const lookup = remembering(
      () => {
        lookups++
        return accepted
      },
      () => 0
    )
    for (const audiences of [["a"], ["a"], ["a", "b"], ["b", "a"], ["a", "b"], []]) lookup("t", audiences)
    assert.strictEqual(lookups, 4)
  })
})

const collectGarbage = () => {
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
}

describe("a bearer token", () => {
  const ask = (authenticator: ReturnType<typeof bearerTokens>, authorization: string) =>
    authenticator.authenticate({ headers: { authorization }, rawHeaders: [], certificate: undefined })

  it("is looked up with each request, also where its header was accepted before", () => {
    const bob = { user: "bob", groups: [] }
    const seen: Array<string> = []
    let isKnown = true
    const authenticator = bearerTokens(
      (token) => {
        seen.push(token)
        return isKnown ? { user: bob } : undefined
      },
      ["a"]
    )
    assert.strictEqual(ask(authenticator, "Bearer t"), bob)
    assert.strictEqual(ask(authenticator, "Bearer t"), bob)
    assert.strictEqual(ask(authenticator, "bearer  t"), undefined)
    assert.strictEqual(ask(authenticator, "Basic t"), undefined)
    isKnown = false
    assert.strictEqual(ask(authenticator, "Bearer t"), "invalid")
    assert.deepStrictEqual(seen, ["t", "t", "t"])
  })

  it("keeps no memory for what its header has besides", () => {
    const authenticator = bearerTokens(() => ({ user: { user: "bob", groups: [] } }), ["a"])
    const junk = "x".repeat(16_000)
    const askMany = (count: number) => {
      for (let at = 0; at < count; at++) ask(authenticator, Buffer.from(`Bearer t ${at} ${junk}`).toString("latin1"))
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = askMany(10)
    assert.isBelow(askMany(4000) - before, 16_000_000)
    assert.isDefined(ask(authenticator, "Bearer t"))
  })
})
