import { once } from "node:events"
import { constants, createServer, type ServerHttp2Stream } from "node:http2"
import type { AddressInfo } from "node:net"
import { Code, type ConnectError } from "@connectrpc/connect"
import { Http2SessionManager } from "@connectrpc/connect-node"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { KV } from "../src/generated/etcd_pb.ts"
import { unary } from "../src/internal/unary.ts"

const OK = { ":status": 200, "content-type": "application/grpc" }

/** Asks a server that answers in this way, and returns what the call fails with. */
const failureOfCall = (answer: (stream: ServerHttp2Stream) => void, signal = new AbortController().signal) =>
  Effect.gen(function* () {
    const server = createServer().on("stream", answer).listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    const session = new Http2SessionManager(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        session.abort()
        server.close()
      })
    )
    const call = Effect.tryPromise({
      try: () => unary(session, KV.method.range, { limit: 7n }, { signal, timeoutMs: 1000 }),
      catch: (cause) => cause as ConnectError
    })
    const { code, rawMessage } = yield* Effect.flip(call)
    return [code, rawMessage]
  }).pipe(Effect.scoped)

const ended = (status: Readonly<Record<string, string>>) => (stream: ServerHttp2Stream) => {
  stream.respond({ ...OK, ...status }, { endStream: true })
}

describe("a call", () => {
  it.live("fails with the status of the answer, and its text", () =>
    Effect.gen(function* () {
      const compacted = {
        "grpc-status": "11",
        "grpc-message": "etcdserver: mvcc: required revision has been compacted"
      }
      assert.deepStrictEqual(yield* failureOfCall(ended(compacted)), [Code.OutOfRange, compacted["grpc-message"]])
      const encoded = { "grpc-status": "8", "grpc-message": "voll: %C3%BC 100%" }
      assert.deepStrictEqual(yield* failureOfCall(ended(encoded)), [Code.ResourceExhausted, encoded["grpc-message"]])
      assert.deepStrictEqual((yield* failureOfCall(ended({ "grpc-status": "99" })))[0], Code.Unknown)
      const late = (stream: ServerHttp2Stream) => {
        stream.respond(OK, { waitForTrailers: true })
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "14", "grpc-message": "no leader" }))
        stream.end()
      }
      assert.deepStrictEqual(yield* failureOfCall(late), [Code.Unavailable, "no leader"])
    })
  )

  it.live("is unavailable where there is no whole answer", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failureOfCall(ended({})), [Code.Unavailable, "the answer ended without a status"])
      assert.deepStrictEqual(yield* failureOfCall(ended({ "grpc-status": "0" })), [
        Code.Unavailable,
        "the answer is no message"
      ])
      const proxy = (stream: ServerHttp2Stream) => stream.respond({ ":status": 503 }, { endStream: true })
      assert.deepStrictEqual(yield* failureOfCall(proxy), [Code.Unavailable, "HTTP status 503"])
      const reset = (stream: ServerHttp2Stream) => {
        stream.on("error", () => {})
        stream.close(constants.NGHTTP2_INTERNAL_ERROR)
      }
      assert.strictEqual((yield* failureOfCall(reset))[0], Code.Unavailable)
      const gone = (stream: ServerHttp2Stream) => stream.session?.destroy()
      assert.strictEqual((yield* failureOfCall(gone))[0], Code.Unavailable)
    })
  )

  it.live("ends with its signal", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const silent = () => controller.abort()
      assert.strictEqual((yield* failureOfCall(silent, controller.signal))[0], Code.Unavailable)
    })
  )
})
