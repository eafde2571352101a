import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { unknownMethodHead } from "../../src/http/wire/unknownMethod.ts"
import { startServer, wallClock } from "./startServer.ts"

const head = (text: string, bytesParsed = 1, maxHeaders = 10) =>
  unknownMethodHead({ rawPacket: Buffer.from(text, "latin1"), bytesParsed }, maxHeaders)

describe("a request of a method that Node's parser does not know", () => {
  it("has the head that was sent", () => {
    assert.deepStrictEqual(head("FOO /a?b HTTP/1.1\r\nHost: h\r\nX-A:  b c \r\n\r\nbody"), {
      method: "FOO",
      url: "/a?b",
      httpVersionMinor: 1,
      rawHeaders: ["Host", "h", "X-A", "b c"]
    })
    assert.deepStrictEqual(head("foo-bar / HTTP/1.0\r\n\r\n")?.rawHeaders, [])
  })

  it("is refused if its head is malformed, incomplete or too large, or if the method is known", () => {
    for (const text of [
      "FOO / HTTP/1.1\r\nHost: h\r\n",
      "FOO / HTTP/1.1\r\nHost : h\r\n\r\n",
      "FOO / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
      "FOO / HTTP/1.1\nHost: h\r\n\r\n",
      "FOO / HTTP/1.1\r\nA: b\nX-Remote-User: c\r\n\r\n",
      "FOO  / HTTP/1.1\r\n\r\n",
      "FOO / HTTP/2.0\r\n\r\n",
      "F(O / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n"
    ]) {
      assert.isUndefined(head(text), text)
    }
    assert.isUndefined(head("FOO / HTTP/1.1\r\nA: b\r\nC: d\r\n\r\n", 1, 1))
  })

  it("is not read from the body of an earlier request", () => {
    const body = "FOO / HTTP/1.1\r\nX-Remote-User: admin\r\n\r\n"
    assert.isUndefined(head(`${body}BAR / HTTP/1.1\r\nHost: h\r\n\r\n`, body.length + 1))
  })

  it.live("is answered by its path, as its user", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const answer = (method: string, path: string, options = {}) =>
        Effect.map(ask(method, path, options), ({ body, code, headers }) => [code, body, headers.connection])
      const refused = (yield* ask("FOO", "/api/v1/nodes")).json
      assert.deepInclude(refused, { kind: "Status", code: 405, reason: "MethodNotAllowed" })
      assert.strictEqual((yield* ask("FOO", "/api/v1/things")).code, 404)
      assert.strictEqual((yield* ask("FOO", "/api/v1/nodes", { body: { a: 1 } })).code, 405)
      assert.deepStrictEqual(yield* answer("FOO", "/nope"), [404, "404 page not found\n", "close"])
      assert.deepStrictEqual((yield* answer("get", "/livez")).slice(0, 2), [200, "ok"])
      assert.strictEqual((yield* ask("PRI", "/livez")).code, 200)
      assert.strictEqual((yield* ask("FOO", "/api/v1/nodes", { token: "unknown" })).code, 401)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
