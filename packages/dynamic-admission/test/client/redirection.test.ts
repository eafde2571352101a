import { assert, describe, it } from "@effect/vitest"
import { type Hop, redirection } from "../../src/client/redirection.ts"

const first: Hop = { method: "POST", url: new URL("https://a.b/x?timeout=1s"), earlier: 0, headers: {} }

describe("the redirection of a call", () => {
  it.each([
    [301, "GET"],
    [302, "GET"],
    [303, "GET"],
    [307, "POST"],
    [308, "POST"]
  ])("by %i is a %s", (code, method) => {
    const next = redirection(first, code, "/y") as Hop
    assert.deepStrictEqual([next.method, next.url.href, next.earlier], [method, "https://a.b/y", 1])
    assert.deepStrictEqual(next.headers, { referer: "https://a.b/x?timeout=1s" })
  })

  it.each([
    [200, "/y"],
    [300, "/y"],
    [304, "/y"],
    [307, ""]
  ])("is none by %i to %j", (code, location) => {
    assert.isUndefined(redirection(first, code, location))
  })

  it("is of no use to a place that is none, and ends after ten requests", () => {
    assert.deepStrictEqual(redirection(first, 307, "http://[::1"), {
      fault: 'failed to parse Location header "http://[::1"'
    })
    const plain = redirection(first, 307, "http://c.d/") as Hop
    assert.deepStrictEqual(plain.headers, {})
    let hop: ReturnType<typeof redirection> = first
    for (let count = 1; count < 10; count++) hop = redirection(hop as Hop, 307, "/y")
    assert.deepStrictEqual(redirection(hop as Hop, 307, "/y"), { fault: "stopped after 10 redirects", place: "/y" })
  })
})
