import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import type { WatchEvent } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { send, watchToEnd, withServer } from "./client.ts"
import { respondWithJson } from "./ScriptedServer.ts"

const node = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, resourceVersion: "1" }
})

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`

const summary = (events: ReadonlyArray<WatchEvent>): ReadonlyArray<string> =>
  events.map((event) => `${event.type} ${event.type === "ERROR" ? event.object.code : event.object.metadata.name}`)

describe("watches", () => {
  it.live("read events for all divisions into chunks, and end when the server ends them", () =>
    withServer(
      (_, response) => {
        const bytes = Buffer.from(
          `${line("ADDED", node("müller"))}${line("MODIFIED", node("日本"))}\n${line("DELETED", node("c"))}`
        )
        response.writeHead(200, { "content-type": "application/json" })
        const step = (at: number): void => {
          if (at >= bytes.length) response.end()
          else response.write(bytes.subarray(at, at + 7), () => setImmediate(step, at + 7))
        }
        step(0)
      },
      ({ client, server }) =>
        Effect.gen(function* () {
          const { error, events } = yield* watchToEnd(client, {
            kind: "Node",
            resourceVersion: "5",
            allowWatchBookmarks: true,
            timeoutSeconds: 300
          })
          assert.isUndefined(error)
          assert.deepStrictEqual(summary(events), ["ADDED müller", "MODIFIED 日本", "DELETED c"])
          assert.strictEqual(
            server.seen[0]?.url,
            "/api/v1/nodes?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300"
          )
        })
    )
  )

  const broken: ReadonlyArray<readonly [string, string, "end" | "cut", RegExp]> = [
    ["a half line at the end", `${line("ADDED", node("a"))}{"type":"ADD`, "end", /ended within an event/],
    ["garbage", `${line("ADDED", node("a"))}<html>\n`, "end", /not valid JSON/],
    ["no event", "[1]\n", "end", /not a watch event: \[1\]/],
    ["a cut", `${line("ADDED", node("a"))}{"ty`, "cut", /cut|aborted|ECONNRESET|hang up/],
    ["a line without end", "x".repeat(3000), "end", /a line exceeds 2048 bytes/]
  ]
  for (const [what, text, how, message] of broken) {
    it.live(`break on ${what}`, () =>
      withServer(
        (_, response, socket) => {
          response.writeHead(200)
          response.write(text, () => (how === "end" ? response.end() : setTimeout(() => socket.destroy(), 20)))
        },
        ({ client }) =>
          Effect.gen(function* () {
            const { error } = yield* watchToEnd(client, { kind: "Node" })
            assert.strictEqual(error?._tag, "ConnectionError")
            assert.match(error?.message ?? "", message)
          }),
        { maxEventBytes: 2048 }
      )
    )
  }

  it.live("report the server's refusal, and deliver an ERROR event", () =>
    withServer(
      ({ url }, response) => {
        const status = {
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Failure",
          reason: "Expired",
          code: 410
        }
        if (url.includes("/nodes")) respondWithJson(response, 410, status)
        else response.writeHead(200).end(line("ERROR", status))
      },
      ({ client }) =>
        Effect.gen(function* () {
          const refused = yield* watchToEnd(client, { kind: "Node" })
          assert.strictEqual(refused.error?._tag === "ApiError" && refused.error.reason, "Expired")
          const received = yield* watchToEnd(client, { kind: "Pod" })
          assert.isUndefined(received.error)
          assert.deepStrictEqual(summary(received.events), ["ERROR 410"])
        })
    )
  )

  it.live("end a watch without bookmarks for too long, but not an active one", () =>
    withServer(
      ({ url }, response) => {
        response.writeHead(200)
        response.flushHeaders()
        if (url.includes("/nodes")) return
        let received = 0
        const timer = setInterval(() => {
          response.write(line("BOOKMARK", node("")))
          if (++received === 8) {
            clearInterval(timer)
            response.end()
          }
        }, 50)
      },
      ({ client }) =>
        Effect.gen(function* () {
          const silent = yield* watchToEnd(client, { kind: "Node", allowWatchBookmarks: true })
          assert.match(silent.error?.message ?? "", /nothing came for 200 ms/)
          const lively = yield* watchToEnd(client, { kind: "Pod", allowWatchBookmarks: true })
          assert.isUndefined(lively.error)
          assert.strictEqual(lively.events.length, 8)
        }),
      { watchIdleMs: 200 }
    )
  )

  it.live("deliver nothing once they are cancelled, and free the connection", () =>
    withServer(
      (_, response) => {
        response.writeHead(200)
        response.write(line("ADDED", node("a")))
        const timer = setInterval(() => response.write(line("MODIFIED", node("a"))), 5)
        response.on("close", () => clearInterval(timer))
      },
      ({ client }) =>
        Effect.gen(function* () {
          let seen = 0
          let seenAtCancel = -1
          yield* Effect.callback<void>((resume) => {
            const cancel = client.watch(
              { verb: "watch", kind: "Node" },
              {
                events: () => {
                  if (++seen < 3) return
                  cancel()
                  seenAtCancel = seen
                  setTimeout(() => resume(Effect.void), 50)
                },
                end: () => assert.fail("ended")
              }
            )
          })
          assert.strictEqual(seen, seenAtCancel)
        })
    )
  )

  it.live("do not keep requests waiting, however many there are", () =>
    withServer(
      ({ url }, response) => {
        if (!url.includes("watch=true")) return respondWithJson(response, 200, node("a"))
        response.writeHead(200)
        response.flushHeaders()
      },
      ({ client }) =>
        Effect.gen(function* () {
          for (let n = 0; n < 100; n++)
            client.watch({ verb: "watch", kind: "Node" }, { events: () => undefined, end: () => undefined })
          const answer = yield* send(client, { verb: "get", kind: "Node", name: "a" })
          assert.strictEqual(answer._tag, "Success")
        }),
      { maxSockets: 2 }
    )
  )
})
