import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { originForm } from "../../src/http/request/RequestInfo.ts"
import { http1Refusal } from "../../src/http/wire/http1Refusals.ts"
import { startServer, wallClock } from "./startServer.ts"
import { openWire } from "./wire.ts"

const refusal = (minor: number, ...rawHeaders: ReadonlyArray<string>) =>
  http1Refusal({ httpVersionMinor: minor, rawHeaders })?.body

describe("http1Refusal", () => {
  it("requires one Host, of valid characters", () => {
    assert.isUndefined(refusal(1, "Accept", "*/*", "hOST", "[::1]:6443"))
    assert.strictEqual(refusal(1, "Accept", "*/*"), "400 Bad Request: missing required Host header")
    assert.isUndefined(refusal(0))
    assert.strictEqual(refusal(1, "Host", "a", "host", "a"), "400 Bad Request: too many Host headers")
    assert.strictEqual(refusal(0, "Host", "a b"), "400 Bad Request: malformed Host header")
  })

  it("accepts chunked bodies and no other encoding", () => {
    assert.isUndefined(refusal(1, "Host", "a", "Transfer-Encoding", "Chunked"))
    assert.strictEqual(refusal(1, "Host", "a", "Transfer-Encoding", "gzip, chunked"), "Unsupported transfer encoding")
  })
})

describe("originForm", () => {
  it("removes the server from a request line", () => {
    assert.strictEqual(originForm("/api?a=http://b/c"), "/api?a=http://b/c")
    assert.strictEqual(originForm("HTTPS://a:1/api/v1?x=y"), "/api/v1?x=y")
    assert.strictEqual(originForm("http://a?x=y"), "/?x=y")
    assert.strictEqual(originForm("*"), "*")
  })
})

describe("requests that the protocol does not allow", () => {
  const ADMIN = "Authorization: Bearer admin"
  const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
  const post = (...lines: ReadonlyArray<string>) => [`POST ${CONFIGMAPS} HTTP/1.1`, ADMIN, ...lines].join("\r\n")
  const cases: ReadonlyArray<readonly [what: string, text: string, answer: RegExp]> = [
    ["without a Host", `GET /livez HTTP/1.1\r\n\r\n`, /^HTTP\/1\.1 400 Bad Request: missing required Host header\r\n/],
    ["with two", "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", /^HTTP\/1\.1 400 Bad Request: too many Host/],
    ["with two lengths", post("Host: a", "Content-Length: 2", "Content-Length: 3", "", "{}"), /^HTTP\/1\.1 400 /],
    [
      "with a length and chunks",
      post("Host: a", "Content-Length: 2", "Transfer-Encoding: chunked", "", "2", "{}", "0", "", ""),
      /^HTTP\/1\.1 400 /
    ],
    ["with another encoding", post("Host: a", "Transfer-Encoding: gzip, chunked", "", "0", "", ""), /^HTTP\/1\.1 501 /],
    ["with bad chunks", post("Host: a", "Transfer-Encoding: chunked", "", "zz", "{}", ""), /^HTTP\/1\.1 400 /],
    ["with a long path", `GET /${"a".repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, /^HTTP\/1\.1 431 /],
    [
      "with an escape without digits",
      "GET /api/v1/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
      /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: text\/plain; charset=utf-8\r\nConnection: close\r\n(?!Audit-Id|Cache-Control)/
    ],
    ["with a method that there is not", "BREW /livez HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 403 /],
    [
      "with CONNECT",
      `CONNECT /api/v1/namespaces HTTP/1.1\r\nHost: a\r\n${ADMIN}\r\n\r\n`,
      /^HTTP\/1\.1 405 .*"MethodNotAllowed"/s
    ],
    ["with CONNECT to another server", `CONNECT a.io:443 HTTP/1.1\r\nHost: a\r\n${ADMIN}\r\n\r\n`, /^HTTP\/1\.1 404 /],
    ["with a method that is no word", "GE<T /livez HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["of another protocol", "\u0016\u0003\u0001\u0002", /^HTTP\/1\.1 400 /]
  ]
  it.live("are refused, their connections closed, and the server survives", () =>
    Effect.gen(function* () {
      const { ask, port, server } = yield* startServer()
      for (const [what, text, answer] of cases) {
        const { closed, received } = yield* openWire(port, text)
        yield* closed
        assert.match(received(), answer, what)
      }
      assert.strictEqual(server.registry.kinds.ConfigMap.cache.size, 0)
      assert.strictEqual((yield* ask("GET", "/livez")).body, "ok")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("but may name the server in their first line", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer()
      const get = `GET http://a${CONFIGMAPS}?limit=1 HTTP/1.1\r\nHost: a\r\n${ADMIN}\r\nConnection: close\r\n\r\n`
      const { closed, received } = yield* openWire(port, get)
      yield* closed
      assert.match(received(), /^HTTP\/1\.1 200 [\s\S]*ConfigMapList/)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
