import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { ListenOptions } from "../../src/http/index.ts"
import { startServer, wallClock } from "./startServer.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"

/** A connection and what it has received. */
const openSocket = (port: number) => {
  const socket = connect(port, "127.0.0.1")
  const received = { text: "", isClosed: false }
  socket.on("data", (chunk) => {
    received.text += chunk
  })
  socket.on("close", () => {
    received.isClosed = true
  })
  socket.on("error", () => {
    received.isClosed = true
  })
  return { socket, received, opened: new Promise((resolve) => socket.once("connect", resolve)) }
}

const send = (socket: Socket, head: string, body = "", length = body.length) =>
  socket.write(
    `${head} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
  )

const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep(5), { while: () => !isSo() })

/** A server, and a function that begins to stop it; the fiber ends when it has stopped. */
const startStoppable = Effect.fnUntraced(function* (listening: Partial<ListenOptions> = {}) {
  const scope = yield* Scope.make()
  const running = yield* startServer({}, undefined, listening).pipe(Scope.provide(scope))
  const stop = Effect.forkChild(Scope.close(scope, Exit.void))
  return { ...running, stop }
})

describe("a server that stops", () => {
  it.live("answers requests in progress, refuses new ones and closes connections after their answer", () =>
    Effect.gen(function* () {
      const { ask, port, stop } = yield* startStoppable()
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late" } })
      const [slow, unused, kept] = [openSocket(port), openSocket(port), openSocket(port)]
      yield* Effect.promise(() => Promise.all([slow.opened, unused.opened, kept.opened]))
      send(kept.socket, "GET /version")
      yield* until(() => kept.received.text.includes("gitVersion"))
      send(slow.socket, `POST ${CONFIG_MAPS}`, body.slice(0, 20), body.length)
      yield* Effect.sleep(50)
      const stopping = yield* stop
      yield* until(() => kept.received.isClosed)
      const refused = yield* Effect.exit(ask("GET", "/version"))
      assert.isTrue(Exit.isFailure(refused))
      send(unused.socket, `GET ${CONFIG_MAPS}`)
      yield* until(() => unused.received.isClosed)
      assert.match(unused.received.text, /^HTTP\/1.1 503 [\s\S]*\r\nRetry-After: 1\r\n/)
      assert.include(unused.received.text, '"message":"apiserver is shutting down"')
      assert.isFalse(slow.received.isClosed)
      slow.socket.write(body.slice(20))
      yield* until(() => slow.received.isClosed)
      assert.match(slow.received.text, /^HTTP\/1.1 201 [\s\S]*\r\nConnection: close\r\n/)
      yield* Fiber.join(stopping)
    }).pipe(Effect.provide(wallClock))
  )

  it.live("accepts connections until its requests are answered, and sends new ones away, if it is to say so", () =>
    Effect.gen(function* () {
      const { ask, port, stop } = yield* startStoppable({ drain: { sendRetryAfter: true } })
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late" } })
      const [slow, other] = [openSocket(port), openSocket(port)]
      yield* Effect.promise(() => Promise.all([slow.opened, other.opened]))
      send(slow.socket, `POST ${CONFIG_MAPS}`, body.slice(0, 20), body.length)
      yield* Effect.sleep(50)
      const stopping = yield* stop
      yield* Effect.sleep(20)
      send(other.socket, "GET /version")
      yield* until(() => other.received.isClosed)
      assert.match(other.received.text, /^HTTP\/1.1 429 [\s\S]*\r\nRetry-After: 5\r\n/)
      assert.match(other.received.text, /\r\nConnection: close\r\n/)
      assert.include(other.received.text, "The apiserver is shutting down, please try again later.\n")
      assert.strictEqual((yield* ask("GET", "/livez")).code, 200)
      slow.socket.write(body.slice(20))
      yield* until(() => slow.received.isClosed)
      assert.match(slow.received.text, /^HTTP\/1.1 201 /)
      yield* Fiber.join(stopping)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ask("GET", "/version"))))
    }).pipe(Effect.provide(wallClock))
  )

  it.live("still answers about its health", () =>
    Effect.gen(function* () {
      const { port, stop } = yield* startStoppable()
      const { opened, received, socket } = openSocket(port)
      yield* Effect.promise(() => opened)
      yield* Effect.sleep(20)
      const stopping = yield* stop
      yield* Effect.sleep(20)
      send(socket, "GET /livez")
      yield* until(() => received.text.includes("200 OK"))
      socket.destroy()
      yield* Fiber.join(stopping)
    }).pipe(Effect.provide(wallClock))
  )

  it.live("ends requests that take longer than it waits", () =>
    Effect.gen(function* () {
      const { port, stop } = yield* startStoppable({ drain: { requestsMs: 100 } })
      const { opened, received, socket } = openSocket(port)
      yield* Effect.promise(() => opened)
      send(socket, `POST ${CONFIG_MAPS}`, "{", 20)
      yield* Effect.sleep(20)
      yield* Fiber.join(yield* stop)
      yield* until(() => received.isClosed)
    }).pipe(Effect.provide(wallClock))
  )

  it.live("ends watches one after the other within their time", () =>
    Effect.gen(function* () {
      const watches = 60
      const { port, stop, stream } = yield* startStoppable({ drain: { watchesMs: 10_000 } })
      const [allBegun, ends] = [yield* Deferred.make<void>(), [] as Array<number>]
      let begun = 0
      for (let watch = 0; watch < watches; watch++) {
        let hasBegun = false
        const line = () => {
          if (!hasBegun && ++begun === watches) Deferred.doneUnsafe(allBegun, Exit.void)
          hasBegun = true
        }
        stream("/api/v1/namespaces?watch=1", { line, end: () => ends.push(performance.now()) })
      }
      yield* Deferred.await(allBegun)
      yield* Fiber.join(yield* stop)
      yield* until(() => ends.length === watches)
      const spreadMs = (ends.at(-1) as number) - (ends[0] as number)
      // 200 a second.
      assert.isAbove(spreadMs, 200)
      assert.isBelow(spreadMs, 3000)
      assert.isAbove(port, 0)
    }).pipe(Effect.provide(wallClock))
  )
})
