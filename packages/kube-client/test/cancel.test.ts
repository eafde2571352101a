import { assert, describe, it } from "@effect/vitest"
import { fromConnection } from "@rollcall/cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { send, withServer } from "./client.ts"
import { respondWithJson, type Script } from "./ScriptedServer.ts"

/** A server that answers nothing, and tells of each request that came and of each whose socket was closed. */
const makeSilentScript = () => {
  const came = Deferred.makeUnsafe<void>()
  const closed = Deferred.makeUnsafe<void>()
  const script: Script = (_, response) => {
    response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
    Deferred.doneUnsafe(came, Effect.void)
  }
  return { came: Deferred.await(came), closed: Deferred.await(closed), script }
}

const tooManyRequests = {
  apiVersion: "v1",
  kind: "Status",
  metadata: {},
  status: "Failure",
  code: 429,
  reason: "TooManyRequests"
}

describe("requests that are interrupted", () => {
  it.live("are aborted on the wire", () => {
    const { came, closed, script } = makeSilentScript()
    return withServer(script, ({ client }) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(fromConnection(client).get("Node", { name: "n1" }))
        yield* came
        yield* Fiber.interrupt(fiber)
        yield* closed
      })
    )
  })

  it.live("are not sent if they still wait for their token, and get no reply", () =>
    withServer(
      (_, response) => respondWithJson(response, 200, { kind: "Node", metadata: {} }),
      ({ client, server }) =>
        Effect.gen(function* () {
          const cluster = fromConnection(client)
          yield* cluster.get("Node", { name: "first" })
          const waits = yield* Effect.forkChild(cluster.get("Node", { name: "waits" }))
          yield* Effect.yieldNow
          yield* Fiber.interrupt(waits)
          yield* cluster.get("Node", { name: "last" })
          assert.deepStrictEqual(
            server.seen.map(({ url }) => url),
            ["/api/v1/nodes/first", "/api/v1/nodes/last"]
          )
        }),
      { rateLimit: { qps: 20, burst: 1 } }
    )
  )

  it.live("are not retried after Retry-After", () =>
    withServer(
      (_, response) =>
        respondWithJson(
          response,
          429,
          { ...tooManyRequests, details: { retryAfterSeconds: 0.05 } },
          { "retry-after": "0.05" }
        ),
      ({ client, server }) =>
        Effect.gen(function* () {
          const cancel = client.send({ verb: "get", kind: "Node", name: "n1" }, () => assert.fail("answered"))
          while (server.seen.length < 2) yield* Effect.sleep("10 millis")
          cancel()
          yield* Effect.sleep("20 millis")
          const { length } = server.seen
          yield* Effect.sleep("200 millis")
          assert.strictEqual(server.seen.length, length)
        }),
      { maxRetries: 1000 }
    )
  )
})

describe("a client that is closed", () => {
  it.live("answers requests that wait for a token or a retry", () =>
    withServer(
      (_, response) => respondWithJson(response, 429, { ...tooManyRequests, details: { retryAfterSeconds: 3600 } }),
      ({ client, server }) =>
        Effect.gen(function* () {
          const repeats = yield* Effect.forkChild(send(client, { verb: "get", kind: "Node", name: "n1" }))
          const waits = yield* Effect.forkChild(send(client, { verb: "get", kind: "Node", name: "n2" }))
          while (server.seen.length < 1) yield* Effect.sleep("10 millis")
          yield* Effect.sleep("50 millis")
          client.close()
          assert.strictEqual((yield* Fiber.join(repeats))._tag, "Failure")
          assert.strictEqual((yield* Fiber.join(waits))._tag, "Failure")
          assert.strictEqual(server.seen.length, 1)
        }),
      { rateLimit: { qps: 0.0001, burst: 1 } }
    )
  )
})
