import { assert, describe, it } from "vitest"
import { readHead } from "../../src/http1/readHead.ts"

const FIELDS = ["Host: a", "Authorization: Bearer t", "Content-Length: 12"]
const head = (line: string, fields: ReadonlyArray<string> = FIELDS) => [line, ...fields].join("\r\n")

describe("the head of a request", () => {
  it("is read if it has the form of nearly all clients", () => {
    const read = readHead(head("PUT /a/b?c=%20d HTTP/1.1"), undefined)
    assert.strictEqual(read?.method, "PUT")
    assert.strictEqual(read?.url, "/a/b?c=%20d")
    assert.deepEqual({ ...read?.fields.headers }, { host: "a", authorization: "Bearer t", "content-length": "12" })
    assert.deepEqual(read?.fields.rawHeaders, ["Host", "a", "Authorization", "Bearer t", "Content-Length", "12"])
    assert.strictEqual(read?.fields.contentLength, 12)
    assert.strictEqual(readHead(head("GET / HTTP/1.1", ["host:a"]), undefined)?.fields.contentLength, 0)
  })

  it("shares the fields of the request before, if they are the same", () => {
    const before = readHead(head("GET /a HTTP/1.1"), undefined)
    assert.strictEqual(readHead(head("PUT /b HTTP/1.1"), before?.fields)?.fields, before?.fields)
    const other = readHead(head("PUT /b HTTP/1.1", ["Host: a"]), before?.fields)
    assert.deepEqual({ ...other?.fields.headers }, { host: "a" })
  })

  it.each([
    ["another version", "GET / HTTP/1.0"],
    ["another method", "OPTIONS / HTTP/1.1"],
    ["no path", "GET * HTTP/1.1"],
    ["the server in its target", "GET http://a/b HTTP/1.1"],
    ["two spaces", "GET  / HTTP/1.1"],
    ["bytes beyond ASCII", "GET /\xe4 HTTP/1.1"],
    ["a line that ends otherwise", "GET / HTTP/1.1\n"]
  ])("is left to another parser with %s", (_, line) => assert.isUndefined(readHead(head(line), undefined)))

  it.each([
    ["no host", []],
    ["a header twice", ["Host: a", "Host: b"]],
    ["a length twice", ["Host: a", "Content-Length: 1", "content-length: 2"]],
    ["a length that is no number", ["Host: a", "Content-Length: +1"]],
    ["a length as a list", ["Host: a", "Content-Length: 1, 1"]],
    ["another transfer encoding", ["Host: a", "Transfer-Encoding: chunked"]],
    ["an upgrade", ["Host: a", "Connection: Upgrade", "Upgrade: websocket"]],
    ["the end of its connection", ["Host: a", "Connection: close"]],
    ["an expectation", ["Host: a", "Expect: 100-continue"]],
    ["a folded line", ["Host: a", "X: b", " c"]],
    ["a space before the colon", ["Host: a", "Content-Length : 1"]],
    ["no name", ["Host: a", ": b"]],
    ["a bare line feed", ["Host: a\nContent-Length: 1"]],
    ["a bare carriage return", ["Host: a\rContent-Length: 1"]],
    ["a zero byte", ["Host: a", "X: \0"]],
    ["bytes beyond ASCII in a value", ["Host: a", "X: \xe4"]],
    ["very many lines", ["Host: a", ...Array.from({ length: 100 }, (_, number) => `X-${number}: a`)]]
  ])("is left to another parser with %s", (_, fields) =>
    assert.isUndefined(readHead(head("GET / HTTP/1.1", fields), undefined))
  )
})
