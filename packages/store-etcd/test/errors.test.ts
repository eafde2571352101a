import { Code, ConnectError } from "@connectrpc/connect"
import { assert, describe, it } from "@effect/vitest"
import { failureOf, unanswered, unsent } from "../src/internal/errors.ts"

describe("an error of etcd", () => {
  it("is final if it would come again", () => {
    const compacted = new ConnectError("etcdserver: mvcc: required revision has been compacted", Code.OutOfRange)
    assert.strictEqual(failureOf(compacted).type, "compacted")
    const future = new ConnectError("etcdserver: mvcc: required revision is a future revision", Code.OutOfRange)
    assert.deepStrictEqual(failureOf(future), { type: "refused", message: future.rawMessage })
    assert.strictEqual(failureOf(new ConnectError("etcdserver: no space", Code.ResourceExhausted)).type, "refused")
  })

  it("leaves open whether a call was carried out", () => {
    for (const code of [Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Unknown, Code.Internal]) {
      assert.strictEqual(failureOf(new ConnectError("etcdserver: request timed out", code)).type, "unknown")
    }
    assert.strictEqual(failureOf(new Error("socket hang up")).type, "unknown")
  })

  it("says which connections failed", () => {
    const refused = new ConnectError(
      "unavailable",
      Code.Unavailable,
      undefined,
      undefined,
      new Error("connect ECONNREFUSED")
    )
    assert.deepStrictEqual(unsent(refused), { type: "unsent", message: "connect ECONNREFUSED" })
    const both = new AggregateError([new Error("::1 refused"), new Error("127.0.0.1 refused")])
    assert.strictEqual(unsent(both).message, "::1 refused, 127.0.0.1 refused")
  })

  it("tells people whether their write may have happened", () => {
    const timeout = { type: "unknown", message: "etcdserver: request timed out" } as const
    assert.strictEqual(
      unanswered(["http://a:1", "http://b:1"], 10_000, timeout, true),
      "etcd did not answer within 10s (http://a:1, http://b:1): etcdserver: request timed out; whether it is written is not known"
    )
    const refused = { type: "unsent", message: "connect ECONNREFUSED" } as const
    assert.strictEqual(
      unanswered(["http://a:1"], 500, refused, true),
      "etcd did not answer within 0.5s (http://a:1): connect ECONNREFUSED"
    )
  })
})
