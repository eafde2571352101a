import { assert, describe, it } from "@effect/vitest"
import { flowRequestOf } from "../../src/http/chain/access.ts"
import { Query } from "../../src/http/request/Query.ts"
import { requestInfoOf } from "../../src/http/request/RequestInfo.ts"

const ask = (query: string, watching = false, path = "/api/v1/namespaces/default/pods") =>
  flowRequestOf({
    identity: { user: "alice", groups: [], userAgent: "" },
    info: requestInfoOf("GET", path, watching),
    query: new Query(query)
  })

describe("the request attributes for flow control", () => {
  it("have a maximum wait: a quarter of the request's time", () => {
    assert.strictEqual(ask("").waitMs, 15_000)
    assert.strictEqual(ask("timeout=8s").waitMs, 2000)
    assert.strictEqual(ask("timeout=1h").waitMs, 15_000)
    assert.strictEqual(ask("timeout=soon").waitMs, 15_000)
    assert.strictEqual(ask("watch=true&timeout=8s", true).waitMs, 15_000)
  })

  it("have the number of objects that it may return", () => {
    assert.strictEqual(ask("").listLimit, 0)
    assert.strictEqual(ask("limit=500").listLimit, 500)
    assert.strictEqual(ask("limit=-1").listLimit, 0)
    assert.strictEqual(ask("limit=many").listLimit, 0)
    assert.isUndefined(ask("fieldSelector=metadata.name%3Da").listLimit)
    assert.isUndefined(ask("", false, "/api/v1/namespaces/default/pods/p").listLimit)
    assert.isUndefined(ask("", false, "/healthz").listLimit)
  })

  it("of a watch count its initial events", () => {
    assert.strictEqual(ask("watch=true", true).listLimit, 0)
    assert.isUndefined(ask("watch=true&resourceVersion=7", true).listLimit)
    assert.strictEqual(ask("watch=true&resourceVersion=7&sendInitialEvents=true", true).listLimit, 0)
  })
})
