import net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import type { EndpointSlice } from "@rollcall/api"
import type { ClusterError } from "@rollcall/cluster"
import type { HandleError } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeConnection } from "../src/makeConnection.ts"
import { plainConfig, type ServerAndClient, send, watchToEnd, withServer } from "./client.ts"
import { listenForTest } from "./listenForTest.ts"
import { respondWithJson, type Script } from "./ScriptedServer.ts"

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "a", resourceVersion: "1" } }
const getNode = { verb: "get", kind: "Node", name: "a" } as const

/** Its own client, whose handled errors are noted. */
const connectRecordingErrors = ({ server, timers }: ServerAndClient, options = {}) => {
  const errors: Array<string> = []
  const handleError: HandleError = (source, error) => errors.push(`${source}: ${(error as Error).message}`)
  const client = makeConnection({
    config: plainConfig(server.url),
    timers: { ...timers, handleError },
    userAgent: "test/v1",
    ...options
  })
  return { client, errors }
}

const failure = (answer: Result.Result<unknown, ClusterError>): ClusterError => {
  if (Result.isSuccess(answer)) throw new Error("expected a failure")
  return answer.failure
}

const answerWithNode: Script = ({ url }, response) => {
  if (!url.includes("watch=true")) return respondWithJson(response, 200, node)
  response.writeHead(200)
  response.end(`${JSON.stringify({ type: "ADDED", object: node })}\n`)
}

describe("nulls of a server in Go", () => {
  const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { name: "s" }, endpoints: null }

  it.live("are empty lists and absent fields in objects, lists and watches", () =>
    withServer(
      ({ url }, response) => {
        if (url.includes("watch=true")) {
          response.writeHead(200)
          response.end(`${JSON.stringify({ type: "ADDED", object: slice })}\n`)
        } else if (url.endsWith("/s")) respondWithJson(response, 200, slice)
        else {
          const { apiVersion: _, kind: __, ...item } = slice
          respondWithJson(response, 200, {
            apiVersion: slice.apiVersion,
            kind: "EndpointSliceList",
            metadata: null,
            items: [{ ...item, metadata: { name: "s", creationTimestamp: null } }, null]
          })
        }
      },
      ({ client }) =>
        Effect.gen(function* () {
          const got = yield* send(client, { verb: "get", kind: "EndpointSlice", namespace: "default", name: "s" })
          assert.deepStrictEqual((Result.getOrThrow(got) as EndpointSlice).endpoints, [])
          const listed = Result.getOrThrow(yield* send(client, { verb: "list", kind: "EndpointSlice" })) as {
            readonly items: ReadonlyArray<EndpointSlice>
          }
          assert.deepStrictEqual(listed.items[0], { ...slice, endpoints: [] } as unknown as EndpointSlice)
          assert.isObject(listed.items[1]?.metadata)
          const { events } = yield* watchToEnd(client, { kind: "EndpointSlice" })
          assert.deepStrictEqual<unknown>(events[0]?.object, { ...slice, endpoints: [] })
        })
    )
  )
})

describe("a client", () => {
  it.live("survives a reply and a sink that throw, and logs it; the stream of the sink has ended", () =>
    withServer(answerWithNode, (serverAndClient) =>
      Effect.gen(function* () {
        const { client, errors } = connectRecordingErrors(serverAndClient)
        const throwing = () => {
          throw new Error("by hand")
        }
        client.send(getNode, throwing)
        const ended = yield* Effect.callback<ClusterError | undefined>((resume) => {
          client.watch(
            { verb: "watch", kind: "Node" },
            { events: throwing, end: (error) => resume(Effect.succeed(error)) }
          )
        })
        assert.strictEqual(ended?._tag, "ConnectionError")
        assert.match(ended?.message ?? "", /by hand/)
        client.watch({ verb: "watch", kind: "Node" }, { events: () => undefined, end: throwing })
        assert.isTrue(Result.isSuccess(yield* send(client, getNode)))
        while (errors.length < 3) yield* Effect.sleep(5)
        assert.deepStrictEqual(errors.toSorted(), ["reply: by hand", "stream: by hand", "stream: by hand"])
        client.close()
      })
    )
  )

  it.live("answers a request that cannot be encoded or sent with an error, and continues", () =>
    withServer(answerWithNode, ({ client, server }) =>
      Effect.gen(function* () {
        const circle: Record<string, unknown> = { metadata: { name: "a" } }
        circle.self = circle
        const create = { verb: "create", kind: "Node" } as const
        assert.match(failure(yield* send(client, { ...create, object: circle })).message, /circular/)
        const unwritable = { toJSON: () => assert.fail("by hand") }
        assert.match(failure(yield* send(client, { ...create, object: { unwritable } })).message, /by hand/)
        assert.match(failure(yield* send(client, { ...getNode, name: "\ud800" })).message, /URI/)
        const { error } = yield* watchToEnd(client, { kind: "Node", labelSelector: "\ud800" })
        assert.match(error?.message ?? "", /URI/)
        const odd = client.as({ user: "a\nb" })
        assert.match(failure(yield* send(odd, getNode)).message, /Invalid character in header/)
        assert.match((yield* watchToEnd(odd, { kind: "Node" })).error?.message ?? "", /Invalid character in header/)
        assert.isTrue(Result.isSuccess(yield* send(client, getNode)))
        assert.strictEqual(server.seen.length, 1)
      })
    )
  )

  it.live("answers with an error when a plugin's certificate cannot be used, or it prints too much", () =>
    withServer(answerWithNode, ({ server, timers }) =>
      Effect.gen(function* () {
        const printing = (script: string) =>
          makeConnection({
            config: {
              ...plainConfig(server.url.replace("http:", "https:")),
              auth: {
                type: "exec",
                cluster: {},
                exec: {
                  apiVersion: "client.authentication.k8s.io/v1",
                  command: process.execPath,
                  args: ["-e", script],
                  interactiveMode: "Never"
                }
              }
            } as unknown as Parameters<typeof makeConnection>[0]["config"],
            timers,
            userAgent: "test/v1"
          })
        const credential = {
          apiVersion: "client.authentication.k8s.io/v1",
          kind: "ExecCredential",
          status: { clientCertificateData: "no certificate", clientKeyData: "no key" }
        }
        const bad = printing(`console.log(${JSON.stringify(JSON.stringify(credential))})`)
        assert.strictEqual(failure(yield* send(bad, getNode))._tag, "ConnectionError")
        assert.strictEqual((yield* watchToEnd(bad, { kind: "Node" })).error?._tag, "ConnectionError")
        const loud = printing(`process.stdout.write("x".repeat(3_000_000))`)
        assert.match(failure(yield* send(loud, getNode)).message, /printed more than 1048576 characters/)
        const odd = printing("\0")
        assert.match(failure(yield* send(odd, getNode)).message, /cannot be run/)
      })
    )
  )

  it.live("ignores discovery entries that it does not understand", () =>
    withServer(
      (_, response) => respondWithJson(response, 200, { resources: [null, 1, { name: 7 }, { kind: "Dial" }, []] }),
      ({ client }) =>
        Effect.gen(function* () {
          const error = failure(yield* send(client, { verb: "list", kind: "Dial.example.com/v1" }))
          assert.match(error.message, /no matches for kind "Dial"/)
        })
    )
  )

  /** What a server that is none does to a connection, and what a request and a watch come to. */
  const hostile: ReadonlyArray<readonly [string, (socket: net.Socket) => void, RegExp]> = [
    ["says nothing", () => undefined, /no response within|nothing came/],
    ["is no HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"), /Parse Error/],
    [
      "never ends its headers",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const more = () => {
          if (!socket.destroyed) socket.write(`x-${"y".repeat(1000)}: z\r\n`, () => setImmediate(more))
        }
        more()
      },
      /Parse Error: Header overflow|Header/
    ],
    [
      "closes within a chunk",
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"type":"'),
      /cut|aborted|within an event/
    ],
    [
      "lies about a chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
      /Parse Error|cut|aborted/
    ],
    [
      "sends elsewhere",
      (socket) => socket.end("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
      /status code 302/
    ],
    [
      "answers without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        const more = () => {
          if (!socket.destroyed) socket.write("x".repeat(65_536), () => setImmediate(more))
        }
        more()
      },
      /larger than 262144 bytes|a line exceeds 65536 bytes/
    ]
  ]
  for (const [what, act, message] of hostile) {
    it.live(`fails a request and a watch of a server that ${what}`, () =>
      withServer(answerWithNode, (serverAndClient) =>
        Effect.gen(function* () {
          const port = yield* listenForTest(net.createServer((socket) => socket.once("data", () => act(socket))))
          const { client, errors } = connectRecordingErrors(serverAndClient, {
            config: plainConfig(`http://127.0.0.1:${port}`),
            ...(what === "says nothing" ? { requestTimeoutMs: 300, watchIdleMs: 300 } : {}),
            maxBodyBytes: 262_144,
            maxEventBytes: 65_536
          })
          const error = failure(yield* send(client, getNode))
          assert.match(error.message, message)
          const watched = yield* watchToEnd(client, { kind: "Node", allowWatchBookmarks: true })
          assert.isDefined(watched.error)
          assert.match(watched.error?.message ?? "", message)
          client.close()
          assert.deepStrictEqual(errors, [])
        })
      )
    )
  }

  it.live("fails a watch over HTTP/2 whose server does not answer the handshake, and connects again", () =>
    withServer(answerWithNode, ({ timers }) =>
      Effect.gen(function* () {
        let connections = 0
        const port = yield* listenForTest(net.createServer(() => connections++))
        // Thirty seconds of the client's own time.
        const fast = {
          ...timers,
          after: (ms: number, callback: () => void) => timers.after(ms / 200, callback)
        }
        const client = makeConnection({
          config: plainConfig(`https://127.0.0.1:${port}`),
          timers: fast,
          userAgent: "test/v1",
          http2: true
        })
        for (const turn of [1, 2]) {
          const { error } = yield* watchToEnd(client, { kind: "Node" })
          assert.match(error?.message ?? "", /no connection in 30000 ms/)
          assert.strictEqual(connections, turn)
        }
        client.close()
      })
    )
  )
})
