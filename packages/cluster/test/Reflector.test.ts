import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Status } from "@rollcall/api"
import { makeVirtualTime, rngOf } from "@rollcall/time"
import * as Result from "effect/Result"
import {
  type Answer,
  ApiError,
  type ApiRequest,
  type Connection,
  ConnectionError,
  cancellable,
  makeInformer,
  retrying,
  type WatchRequest,
  type WatchSink
} from "../src/index.ts"
import { FakeServer } from "../src/testing/index.ts"

const START = 1_767_225_600_000

const node = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, resourceVersion: "5" }
})

const refusal = (code: number, reason: string, details?: Status["details"]): Answer =>
  Result.fail(
    new ApiError({
      status: {
        apiVersion: "v1",
        kind: "Status",
        metadata: {},
        code,
        reason,
        ...(details === undefined ? {} : { details })
      }
    })
  )

const page = (names: ReadonlyArray<string>, next?: string): Answer =>
  Result.succeed({
    metadata: { resourceVersion: "9", ...(next === undefined ? {} : { continue: next }) },
    items: names.map(node)
  })

/** A server of which each list is answered by the script, and each watch is kept. */
const runScript = (answers: ReadonlyArray<Answer>) => {
  const time = makeVirtualTime(START)
  const lists: Array<ApiRequest> = []
  const watches: Array<{ readonly request: WatchRequest; readonly sink: WatchSink }> = []
  const connection: Connection = {
    send: cancellable((request, reply) => {
      reply(answers[lists.push(request) - 1] ?? refusal(500, "InternalError"))
    }),
    watch: (request, sink) => {
      watches.push({ request, sink })
      return () => undefined
    }
  }
  const informer = makeInformer(connection, time.timers, rngOf(3), "Node")
  const sent = () =>
    lists.map((request) => {
      const { kind: _, verb: __, ...rest } = request
      return rest
    })
  return { time, informer, watches, sent }
}

describe("Reflector", () => {
  it("lists by pages, and watches from the last page's revision", () => {
    const { informer, sent, watches } = runScript([page(["a", "b"], "x"), page(["c"], "y"), page(["d"])])
    informer.start()
    assert.deepStrictEqual(sent(), [
      { resourceVersion: "0", limit: 500 },
      { limit: 500, continue: "x" },
      { limit: 500, continue: "y" }
    ])
    assert.strictEqual(informer.size(), 4)
    assert.strictEqual(watches[0]?.request.resourceVersion, "9")
  })

  it("lists without pages when a page token has expired", () => {
    const { informer, sent } = runScript([page(["a", "b"], "x"), refusal(410, "Expired"), page(["b", "c"])])
    informer.start()
    assert.deepStrictEqual(sent(), [
      { resourceVersion: "0", limit: 500 },
      { limit: 500, continue: "x" },
      { resourceVersion: "0" }
    ])
    assert.deepStrictEqual(
      informer.list().map(({ metadata }) => metadata.name),
      ["b", "c"]
    )
  })

  it("after a refused watch lists no older than its last revision, and lists anything if the server is younger", () => {
    const tooLarge = refusal(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] })
    const { informer, sent, time, watches } = runScript([page(["a"]), tooLarge, page(["b"])])
    informer.start()
    time.runUntil(START + 60_000)
    const { failure } = refusal(403, "Forbidden") as Result.Failure<unknown, ApiError>
    watches[0]?.sink.end(failure)
    time.runUntil(START + 70_000)
    assert.deepStrictEqual(sent().slice(1), [{ resourceVersion: "9" }, { limit: 500 }])
    assert.isDefined(informer.get("b"))
    assert.isUndefined(informer.get("a"))
  })

  it("requests watches of 5 to 10 minutes, with bookmarks, and resumes from a bookmark", () => {
    const { informer, sent, time, watches } = runScript([page([])])
    informer.start()
    for (let turn = 0; turn < 50; turn++) {
      time.runUntil(START + turn * 400_000 + 300_000)
      const bookmark = {
        type: "BOOKMARK",
        object: { ...node(""), metadata: { resourceVersion: String(100 + turn) } }
      } as const
      watches[turn]?.sink.events([bookmark])
      watches[turn]?.sink.end(undefined)
    }
    assert.strictEqual(sent().length, 1)
    assert.strictEqual(watches.length, 51)
    for (const [turn, { request }] of watches.entries()) {
      assert.strictEqual(request.allowWatchBookmarks, true)
      assert.strictEqual(request.resourceVersion, turn === 0 ? "9" : String(99 + turn))
      const seconds = request.timeoutSeconds ?? 0
      assert.isTrue(Number.isInteger(seconds) && seconds >= 300 && seconds < 600)
    }
    assert.isAbove(new Set(watches.map(({ request }) => request.timeoutSeconds)).size, 30)
  })

  it("backs off from a server that compacts at once, or that breaks each watch after one event", () => {
    const { informer, time, watches, sent } = runScript(Array.from({ length: 100 }, () => page(["a"])))
    const { failure } = refusal(410, "Expired") as Result.Failure<unknown, ApiError>
    informer.start()
    let answered = 0
    for (let ms = 0; ms < 60_000; ms += 10) {
      time.runUntil(START + ms)
      for (; answered < watches.length; answered++) watches[answered]?.sink.end(failure)
    }
    assert.isBelow(sent().length, 9)

    const other = runScript([page(["a"])])
    other.informer.start()
    answered = 0
    for (let ms = 0; ms < 60_000; ms += 10) {
      other.time.runUntil(START + ms)
      for (; answered < other.watches.length; answered++) {
        const sink = other.watches[answered]?.sink
        sink?.events([
          {
            type: "MODIFIED",
            object: { ...node("a"), metadata: { name: "a", resourceVersion: String(20 + answered) } }
          }
        ])
        sink?.end(new ConnectionError({ message: "cut" }))
      }
    }
    assert.isBelow(other.watches.length, 9)
  })

  it("spreads the requests of a hundred informers whose server goes away and comes back", () => {
    const time = makeVirtualTime(START)
    const server = new FakeServer(time.timers)
    const seconds = new Map<number, number>()
    const counted: Connection = {
      send: cancellable((request, reply) => {
        count()
        server.connection.send(request, reply)
      }),
      watch: (request, sink) => {
        count()
        return server.connection.watch(request, sink)
      }
    }
    const count = () => {
      const second = Math.floor((time.timers.now() - START) / 1000)
      seconds.set(second, (seconds.get(second) ?? 0) + 1)
    }
    const informers = Array.from({ length: 100 }, (_, seed) => makeInformer(counted, time.timers, rngOf(seed), "Node"))
    for (const informer of informers) informer.start()
    time.runUntil(START + 60_000)
    server.cut()
    time.runUntil(START + 300_000)
    server.put("Node", node("late"))
    server.heal()
    time.runUntil(START + 400_000)
    for (const informer of informers) assert.isDefined(informer.get("late"))
    // At the cut each tries once at once, and a second time after 0.8 s or more. From then on they spread.
    assert.isAtMost(seconds.get(60) ?? 0, 150)
    for (const [second, requests] of seconds) {
      if (second > 70) assert.isAtMost(requests, 20, `in second ${second}`)
      else if (second > 60) assert.isAtMost(requests, 100, `in second ${second}`)
    }
    const after = [...seconds].filter(([second]) => second >= 300).reduce((sum, [, requests]) => sum + requests, 0)
    assert.strictEqual(after, 100)
  })
})

describe("retrying", () => {
  const answering = (answers: ReadonlyArray<Answer>) => {
    const time = makeVirtualTime(START)
    const at: Array<number> = []
    const connection: Connection = {
      send: cancellable((_, reply) => {
        at.push((time.timers.now() - START) / 1000)
        reply(answers[at.length - 1] ?? answers.at(-1) ?? refusal(500, "InternalError"))
      }),
      watch: (_, sink) => {
        at.push((time.timers.now() - START) / 1000)
        const answer = answers[at.length - 1] ?? answers.at(-1)
        time.timers.soon(() => {
          if (answer !== undefined && Result.isFailure(answer)) sink.end(answer.failure)
          else sink.events([{ type: "ADDED", object: node("a") }])
        })
        return () => undefined
      }
    }
    return { time, at, connection: retrying(connection, { timers: time.timers }) }
  }
  const wait = (seconds: number, code = 429) => refusal(code, "TooManyRequests", { retryAfterSeconds: seconds })
  const get: ApiRequest = { verb: "get", kind: "Node", name: "n" }

  it("repeats after the server's Retry-After, ten times at most", () => {
    const brief = answering([wait(1), wait(3, 503), Result.succeed({})])
    const replies: Array<Answer> = []
    brief.connection.send(get, (answer) => replies.push(answer))
    brief.time.runUntil(START + 60_000)
    assert.deepStrictEqual(brief.at, [0, 1, 4])
    assert.deepStrictEqual(replies.map(Result.isSuccess), [true])

    const endless = answering([wait(1)])
    endless.connection.send(get, (answer) => replies.push(answer))
    endless.time.runUntil(START + 60_000)
    assert.strictEqual(endless.at.length, 11)
    assert.deepStrictEqual(replies.map(Result.isSuccess), [true, false])
  })

  it("passes on refusals without Retry-After", () => {
    for (const answer of [refusal(429, "TooManyRequests"), refusal(500, "InternalError"), wait(1, 409)]) {
      const { at, connection, time } = answering([answer])
      const replies: Array<Answer> = []
      connection.send(get, (reply) => replies.push(reply))
      time.runUntil(START + 60_000)
      assert.deepStrictEqual(replies, [answer])
      assert.deepStrictEqual(at, [0])
    }
  })

  it("opens a refused watch again, unless it was cancelled", () => {
    const { at, connection, time } = answering([wait(2), Result.succeed({})])
    const seen: Array<string> = []
    const sink: WatchSink = {
      events: (batch) => seen.push(...batch.map(({ type }) => type)),
      end: () => seen.push("end")
    }
    connection.watch({ verb: "watch", kind: "Node" }, sink)
    time.runUntil(START + 10_000)
    assert.deepStrictEqual([at, seen], [[0, 2], ["ADDED"]])

    const cancelled = answering([wait(2)])
    const cancel = cancelled.connection.watch({ verb: "watch", kind: "Node" }, sink)
    cancelled.time.runUntil(START + 1000)
    cancel()
    cancelled.time.runUntil(START + 10_000)
    assert.deepStrictEqual([cancelled.at, seen], [[0], ["ADDED"]])
  })
})
