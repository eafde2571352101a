import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import type { Status } from "@rollcall/api"
import type { ApiError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { answerOf } from "../src/http/answer.ts"
import { send, withServer } from "./client.ts"
import { respondWithJson } from "./ScriptedServer.ts"

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }
const get = { verb: "get", kind: "Node", name: "n1" } as const
const request = { method: "GET", path: "/x" }

const refusalOf = (code: number, body: string, headers = {}): ApiError =>
  Result.getOrThrow(Result.flip(answerOf(request, { code, body, headers }))) as ApiError

describe("responses", () => {
  it("fail with the server's Status, or with the meaning of their code", () => {
    const status: Status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "NotFound",
      message: "m",
      code: 404
    }
    assert.deepStrictEqual(refusalOf(404, JSON.stringify(status)).status, status)
    const page = refusalOf(404, "404 page not found\n")
    assert.strictEqual(page.reason, "NotFound")
    assert.strictEqual(page.message, "the server could not find the requested resource")
    assert.strictEqual(page.status.details?.causes?.[0]?.message, "404 page not found")
    for (const [code, reason] of [
      [401, "Unauthorized"],
      [409, "Conflict"],
      [429, "TooManyRequests"],
      [503, "ServiceUnavailable"],
      [502, "InternalError"],
      [302, "Unknown"]
    ] as const) {
      assert.strictEqual(refusalOf(code, "<html>").reason, reason)
      assert.strictEqual(refusalOf(code, "").code, code)
    }
    assert.strictEqual(refusalOf(429, "", { "retry-after": "7" }).status.details?.retryAfterSeconds, 7)
    assert.isUndefined(
      refusalOf(429, "", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }).status.details?.retryAfterSeconds
    )
    const bounded = refusalOf(500, "x".repeat(100_000))
    assert.isBelow(bounded.message.length, 2200)
  })

  it("that succeed must be objects, and items of lists get their kinds", () => {
    assert.match(
      String(answerOf(request, { code: 200, body: "<html>", headers: { "content-type": "text/html" } })),
      /not a JSON object/
    )
    const list = { kind: "NodeList", apiVersion: "v1", metadata: {}, items: [{ metadata: { name: "a" } }] }
    assert.deepStrictEqual(
      answerOf(request, { code: 200, body: JSON.stringify(list), headers: {} }),
      Result.succeed({
        ...list,
        items: [{ apiVersion: "v1", kind: "Node", metadata: { name: "a" } }]
      })
    )
    const none = answerOf(request, { code: 200, body: '{"kind":"NodeList","items":null}', headers: {} })
    assert.deepStrictEqual(none, Result.succeed({ kind: "NodeList", items: [] }))
  })

  it.live("time out, and have a maximum size", () =>
    withServer(
      ({ url }, response) => {
        if (url.endsWith("slow")) return
        if (url.endsWith("half")) response.writeHead(200, { "content-length": "100" }).write("{")
        else if (url.endsWith("bomb"))
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(100_000)))
        else if (url.endsWith("large")) response.end("x".repeat(100_000))
        else if (url.endsWith("zip"))
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(JSON.stringify(node)))
        else response.destroy()
      },
      ({ client }) =>
        Effect.gen(function* () {
          const failure = (name: string) =>
            Effect.map(send(client, { ...get, name }), (answer) =>
              Result.isFailure(answer) ? answer.failure.message : "success"
            )
          assert.match(yield* failure("slow"), /no response within 200 ms/)
          assert.match(yield* failure("half"), /no response within 200 ms/)
          assert.match(yield* failure("large"), /larger than 20000 bytes/)
          assert.match(yield* failure("bomb"), /cannot be unpacked/)
          assert.match(yield* failure("cut"), /hang up|ECONNRESET|cut/)
          assert.strictEqual(yield* failure("zip"), "success")
        }),
      { requestTimeoutMs: 200, maxBodyBytes: 20_000 }
    )
  )

  it.live("are requested again after Retry-After; writes are not repeated otherwise", () =>
    Effect.gen(function* () {
      let refusals = 0
      yield* withServer(
        ({ method, url }, response) => {
          if (url.endsWith("busy") && refusals++ < 2) respondWithJson(response, 429, {}, { "retry-after": "0" })
          else if (method === "PUT") response.destroy()
          else respondWithJson(response, 200, node)
        },
        ({ client, server }) =>
          Effect.gen(function* () {
            const answer = yield* send(client, { ...get, name: "busy" })
            assert.isTrue(Result.isSuccess(answer))
            assert.strictEqual(server.seen.length, 3)
            const put = yield* send(client, { verb: "update", kind: "Node", name: "n", object: node })
            assert.isTrue(Result.isFailure(put))
            assert.strictEqual(server.seen.length, 4)
          })
      )
    })
  )

  it.live("come although the server has just closed a kept connection", () =>
    withServer(
      (_, response) => respondWithJson(response, 200, node),
      ({ client, server }) =>
        Effect.gen(function* () {
          for (let turn = 0; turn < 20; turn++) {
            assert.isTrue(Result.isSuccess(yield* send(client, get)))
            server.cut()
          }
        })
    )
  )

  it.live("fail once the client is closed", () =>
    withServer(
      () => undefined,
      ({ client, timers }) =>
        Effect.gen(function* () {
          timers.after(50, client.close)
          const pending = yield* send(client, get)
          assert.strictEqual(Result.isFailure(pending) && pending.failure._tag, "ConnectionError")
          const late = yield* send(client, get)
          assert.match(Result.isFailure(late) ? late.failure.message : "", /the client is closed/)
        })
    )
  )

  it.live("count against the client's own limit", () =>
    withServer(
      (_, response) => respondWithJson(response, 200, node),
      ({ client, server }) =>
        Effect.gen(function* () {
          for (let n = 0; n < 30; n++) client.send(get, () => undefined)
          yield* Effect.sleep("300 millis")
          assert.isAtLeast(server.seen.length, 10)
          assert.isAtMost(server.seen.length, 13)
        }),
      { rateLimit: { qps: 5, burst: 10 } }
    )
  )
})
