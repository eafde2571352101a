import type { ClientHttp2Session } from "node:http2"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"
import { makeKeys, openHttp2Session, tlsOf } from "./wire.ts"

const WATCH = "/api/v1/namespaces/default/configmaps?watch=1"
const CANCEL = 8

/** Begins so many watches, and takes each back once it has begun. */
const openAndReset = (session: ClientHttp2Session, count: number) =>
  Effect.callback<void>((resume) => {
    let open = count
    for (let index = 0; index < count; index++) {
      const stream = session.request({ ":path": WATCH, authorization: "Bearer admin" })
      stream.on("error", () => {})
      stream.on("response", () => stream.close(CANCEL))
      stream.on("close", () => {
        if (--open === 0) resume(Effect.void)
      })
    }
  })

const textOf = async (session: ClientHttp2Session, path: string): Promise<string> => {
  let text = ""
  const stream = session.request({ ":path": path, authorization: "Bearer admin" })
  for await (const piece of stream) text += String(piece)
  return text
}

describe("a connection of HTTP/2", () => {
  it.live("may reset all its requests in flight, and is closed when it does so repeatedly", () =>
    Effect.gen(function* () {
      const pki = yield* makeKeys
      const apiServer = yield* startServer({}, undefined, { tls: tlsOf(pki) })
      const session = yield* openHttp2Session(pki, apiServer)
      yield* openAndReset(session, 200)
      assert.isFalse(session.closed)
      const ended = new Promise<void>((resolve) => session.on("close", () => resolve()))
      yield* openAndReset(session, 400)
      yield* Effect.promise(() => ended)
      assert.isTrue(session.destroyed)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is not served a request that was reset before its time slice", () =>
    Effect.gen(function* () {
      const pki = yield* makeKeys
      const apiServer = yield* startServer({}, undefined, { tls: tlsOf(pki) })
      const session = yield* openHttp2Session(pki, apiServer)
      for (let index = 0; index < 200; index++) {
        const stream = session.request({ ":path": "/api/v1/nodes", authorization: "Bearer admin" })
        stream.on("error", () => {})
        stream.close(CANCEL)
      }
      yield* Effect.sleep(200)
      const text = yield* Effect.promise(() => textOf(session, "/metrics"))
      // A read is authorized when its turn comes.
      const served = /^authorization_attempts_total\{result="allowed"\} (\d+)$/m.exec(text)?.[1]
      assert.isAtMost(Number(served ?? 0), 64)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
