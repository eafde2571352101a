import type { Pod } from "@rollcall/api"
import { formatTime } from "@rollcall/api"
import { type Answer, ConnectionError, type CreateRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { TokenManager } from "../../src/references/TokenManager.ts"

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns", uid: "u" },
  spec: { serviceAccountName: "robot", containers: [] }
} satisfies Pod

const START = Date.UTC(2026, 0, 1)

const setUp = () => {
  const sent: Array<CreateRequest> = []
  const state = { nowMs: START, isCut: false }
  const respond = (): Answer =>
    state.isCut
      ? Result.fail(new ConnectionError({ message: "cut" }))
      : Result.succeed({
          status: { token: `token ${sent.length}`, expirationTimestamp: formatTime(state.nowMs + 3_600_000) }
        })
  const manager = new TokenManager({
    now: () => state.nowMs,
    random: () => 0,
    connection: {
      send: (request, reply) => {
        sent.push(request as CreateRequest)
        reply(respond())
        return () => undefined
      }
    }
  })
  return {
    sent,
    state,
    tokenAfter: (ms: number, source = {}) => {
      state.nowMs = START + ms
      let got: Result.Result<string, string> | undefined
      manager.tokenFor(pod, source, (token) => {
        got = token
      })
      return got === undefined ? undefined : Result.merge(got)
    }
  }
}

describe("the token of a pod", () => {
  it("is requested for its service account, bound to it", () => {
    const { sent, tokenAfter } = setUp()
    assert.strictEqual(tokenAfter(0, { audience: "vault", expirationSeconds: 3600 }), "token 1")
    const { object, ...address } = sent[0] ?? assert.fail("none sent")
    assert.deepStrictEqual(address, {
      verb: "create",
      kind: "ServiceAccount",
      namespace: "ns",
      name: "robot",
      subresource: "token"
    })
    assert.deepInclude(object as object, {
      kind: "TokenRequest",
      spec: {
        audiences: ["vault"],
        expirationSeconds: 3600,
        boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }
      }
    })
  })

  it("is kept until 80 % of its life are over, each source's for itself", () => {
    const { tokenAfter } = setUp()
    assert.strictEqual(tokenAfter(0), "token 1")
    assert.strictEqual(tokenAfter(0, { audience: "vault" }), "token 2")
    assert.strictEqual(tokenAfter(2_880_000), "token 1")
    assert.strictEqual(tokenAfter(2_880_001), "token 3")
    assert.strictEqual(tokenAfter(2_880_002), "token 3")
  })

  it("stays as long as it is valid while no other can be had", () => {
    const { state, tokenAfter } = setUp()
    state.isCut = true
    assert.strictEqual(tokenAfter(0), "failed to fetch token: cut")
    state.isCut = false
    assert.strictEqual(tokenAfter(0), "token 2")
    state.isCut = true
    assert.strictEqual(tokenAfter(3_600_000), "token 2")
    assert.strictEqual(tokenAfter(3_600_001), "token expired and refresh failed: cut")
  })
})
