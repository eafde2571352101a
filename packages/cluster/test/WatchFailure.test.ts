import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Cluster, ConnectionError, goTypeOf, Informer, watchFailureLine } from "../src/index.ts"
import { FakeServer, refusal } from "../src/testing/index.ts"
import { makeRecordingLog } from "./logLines.ts"

const START = 1_767_225_600_000

const refusedError = new ConnectionError({ message: "connect: connection refused" })
const unauthorizedError = refusal(401, "Unauthorized")
const expiredError = refusal(410, "Expired", "too old")
const tooManyRequestsError = refusal(429, "TooManyRequests")

describe("the log of a failed list or watch", () => {
  const logLine = (...args: Parameters<typeof watchFailureLine>) => {
    const { fields, message, severity } = watchFailureLine(...args)
    return `${severity} ${message}: ${fields.err}`
  }

  it("has each failed list, whatever the reason", () => {
    assert.strictEqual(
      logLine("list", "Lease", unauthorizedError),
      "error Failed to watch: failed to list *v1.Lease: Unauthorized"
    )
    assert.strictEqual(
      logLine("list", "Node", refusedError),
      "error Failed to watch: failed to list *v1.Node: connect: connection refused"
    )
    assert.strictEqual(logLine("list", "Node", expiredError), "debug Watch closed: too old")
  })

  it("has a refused watch, but not one that is repeated", () => {
    assert.strictEqual(logLine("watch", "Node", unauthorizedError), "error Failed to watch: Unauthorized")
    assert.strictEqual(
      logLine("watch", "Node", refusedError),
      "debug Watch failed - backing off: connect: connection refused"
    )
    assert.strictEqual(
      logLine("watch", "Node", tooManyRequestsError),
      "debug Watch returned 429 - backing off: TooManyRequests"
    )
    assert.strictEqual(logLine("watch", "Node", expiredError), "debug Watch closed: too old")
  })

  it("has a watch that an error ends, but not one whose connection closes", () => {
    assert.strictEqual(
      logLine("stream", "Node", unauthorizedError),
      "info Warning: watch ended with error: Unauthorized"
    )
    assert.strictEqual(
      logLine("stream", "Node", refusedError),
      "debug Watch closed with unexpected EOF: connect: connection refused"
    )
    assert.strictEqual(logLine("stream", "Node", expiredError), "debug Watch closed: too old")
  })

  it("names types as Go does", () => {
    assert.strictEqual(goTypeOf("ReplicaSet"), "*v1.ReplicaSet")
    assert.strictEqual(goTypeOf("Dial.example.com/v1"), "Dial.example.com/v1")
  })

  it("is written by an informer for each try, at growing intervals", () => {
    const time = makeVirtualTime(START)
    const server = new FakeServer(time.timers)
    const { layer, lines } = makeRecordingLog()
    server.intercept = () => Result.fail(unauthorizedError)
    time.fork(
      Effect.scoped(Effect.andThen(Informer.make("Node"), Effect.never)).pipe(
        Effect.provide(Cluster.layerConnection(server.connection)),
        Effect.provide(layer)
      )
    )
    time.runUntil(START + 120_000)
    assert.strictEqual(lines[0], "Error Failed to watch err=failed to list *v1.Node: Unauthorized type=*v1.Node")
    assert.strictEqual(new Set(lines).size, 1)
    // 0.8 s doubling to 30 s, each up to twice as long.
    assert.isTrue(lines.length >= 6 && lines.length <= 9)
  })
})
