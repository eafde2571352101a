import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { type RunningServer, sharedStore, startServer, wallClock } from "./startServer.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"

/** Lines of a stream until there are so many or it ends. */
const lines = ({ stream }: RunningServer, path: string, count: number) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const got: Array<string> = []
    const finish = () => resume(Effect.succeed(got))
    const cut = stream(path, {
      line: (line) => {
        got.push(line)
        if (got.length < count) return
        cut()
        finish()
      },
      end: finish
    })
  })

const create = ({ ask }: RunningServer, name: string, data: object = {}) =>
  ask("POST", CONFIGMAPS, { body: { metadata: { name }, data } })

const typeAndName = (line: string | undefined) => {
  const { object, type } = JSON.parse(line ?? "{}")
  return `${type} ${object.metadata.name}`
}

describe("watches over HTTP", () => {
  it.live("start with existing objects and continue with changes", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      yield* create(apiServer, "a")
      const waiting = yield* Effect.forkChild(lines(apiServer, `${CONFIGMAPS}?watch=1`, 2))
      yield* Effect.sleep("50 millis")
      yield* create(apiServer, "b")
      const got = yield* Fiber.join(waiting)
      assert.deepStrictEqual(got.map(typeAndName), ["ADDED a", "ADDED b"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("end after their timeout, cleanly", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      assert.deepStrictEqual(yield* lines(apiServer, `${CONFIGMAPS}?watch=1&timeoutSeconds=1`, 9), [])
      assert.deepStrictEqual(yield* lines(apiServer, `${CONFIGMAPS}?watch=1&timeoutSeconds=-1`, 9), [])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("report compacted history within a 200", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      yield* create(apiServer, "a")
      yield* apiServer.server.compact
      const [line] = yield* lines(apiServer, `${CONFIGMAPS}?watch=1&resourceVersion=1`, 1)
      const { object, type } = JSON.parse(line ?? "{}")
      assert.deepStrictEqual([type, object.code, object.reason], ["ERROR", 410, "Expired"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("continue where an earlier server stopped", () =>
    Effect.gen(function* () {
      const store = yield* sharedStore
      const first = yield* Scope.make()
      const before = yield* startServer({}, store).pipe(Effect.provideService(Scope.Scope, first))
      const a = yield* create(before, "a")
      yield* create(before, "b")
      yield* before.ask("DELETE", `${CONFIGMAPS}/a`)
      yield* Scope.close(first, Exit.void)
      const after = yield* startServer({}, store)
      const from = a.json.metadata.resourceVersion
      const got = yield* lines(after, `${CONFIGMAPS}?watch=1&resourceVersion=${from}`, 2)
      assert.deepStrictEqual(got.map(typeAndName), ["ADDED b", "DELETED a"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("show the Events of one group as those of another", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      const involvedObject = { kind: "Node", name: "n", namespace: "" }
      const body = { metadata: { name: "e" }, involvedObject, message: "text", reason: "R", type: "Normal" }
      yield* apiServer.ask("POST", "/api/v1/namespaces/default/events", { body })
      const views = "/apis/events.k8s.io/v1/namespaces/default/events"
      assert.strictEqual((yield* apiServer.ask("GET", `${views}/e`)).json.note, "text")
      const [line] = yield* lines(apiServer, `${views}?watch=1`, 1)
      const { object } = JSON.parse(line ?? "{}")
      assert.deepStrictEqual([object.apiVersion, object.note], ["events.k8s.io/v1", "text"])
      const merge = { "content-type": "application/merge-patch+json" }
      yield* apiServer.ask("PATCH", `${views}/e`, { headers: merge, body: { series: { count: 2 } } })
      const stored = yield* apiServer.ask("GET", "/api/v1/namespaces/default/events/e")
      assert.deepStrictEqual([stored.json.apiVersion, stored.json.message], ["v1", "text"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("disconnect clients that do not read", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      yield* create(apiServer, "big")
      const closed = yield* Effect.callback<boolean>((resume) => {
        const socket = connect(apiServer.port, "127.0.0.1", () => {
          socket.write(`GET ${CONFIGMAPS}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\n\r\n`)
        })
        socket.pause()
        socket.on("close", () => resume(Effect.succeed(true)))
        socket.on("error", () => undefined)
        const merge = { "content-type": "application/merge-patch+json" }
        const write = (left: number): Effect.Effect<void> =>
          left === 0
            ? Effect.sync(() => socket.resume())
            : Effect.flatMap(
                apiServer.ask("PATCH", `${CONFIGMAPS}/big`, {
                  headers: merge,
                  body: { data: { k: String(left).repeat(100_000) } }
                }),
                () => write(left - 1)
              )
        Effect.runFork(write(80))
      })
      assert.isTrue(closed)
      assert.strictEqual((yield* apiServer.ask("GET", `${CONFIGMAPS}/big`)).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("end when the server stops", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const apiServer = yield* startServer().pipe(Effect.provideService(Scope.Scope, scope))
      const waiting = yield* Effect.forkChild(lines(apiServer, `${CONFIGMAPS}?watch=1`, 9))
      yield* Effect.sleep("50 millis")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(waiting), [])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
