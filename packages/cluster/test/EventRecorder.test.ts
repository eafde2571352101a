import { assert, describe, it } from "@effect/vitest"
import type { Event, Node } from "@rollcall/api"
import { makeVirtualTime, rngOf } from "@rollcall/time"
import * as Result from "effect/Result"
import {
  type ApiRequest,
  type Connection,
  ConnectionError,
  cancellable,
  type EventDrop,
  keyOf,
  makeEventRecorder
} from "../src/index.ts"
import { FakeServer, refusal, refused } from "../src/testing/index.ts"
import { makeRecordingComponentLog } from "./logLines.ts"

const START = 1_767_225_600_000

const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "u1", resourceVersion: "7" } }

const setUp = (wrap: (connection: Connection) => Connection = (connection) => connection) => {
  const time = makeVirtualTime(START)
  const server = new FakeServer(time.timers)
  const drops: Array<EventDrop> = []
  const recorder = makeEventRecorder(wrap(server.connection), time.timers, rngOf(3), {
    component: "node-controller",
    onDrop: (_, why) => drops.push(why)
  })
  const stored = () => server.all("Event")
  return { time, server, recorder, drops, stored }
}

describe("EventRecorder", () => {
  it("logs Events that it cannot write", () => {
    const time = makeVirtualTime(START)
    const { lines, log } = makeRecordingComponentLog()
    const answers = [refusal(403, "Forbidden"), refusal(409, "AlreadyExists")]
    const connection: Connection = {
      send: cancellable((_, reply) => reply(Result.fail(answers.shift() ?? new ConnectionError({ message: "cut" })))),
      watch: () => () => {}
    }
    const recorder = makeEventRecorder(connection, time.timers, rngOf(3), { component: "tests", log })
    for (const reason of ["First", "Second", "Third"]) recorder.event(node, "Normal", reason, "told")
    time.runUntil(START + 300_000)
    const short = lines.map((line) => line.replace(/ event=\S+/, ""))
    const about = (reason: string) => `kind=Node object=n1 reason=${reason} message=told`
    assert.deepStrictEqual(short.slice(0, 3), [
      `error Server rejected event (will not retry!) err=Forbidden ${about("First")}`,
      `debug Server rejected event (will not retry!) err=AlreadyExists ${about("Second")}`,
      `error Unable to write event (may retry after sleeping) err=cut ${about("Third")}`
    ])
    assert.strictEqual(short.length, 2 + 12 + 1)
    assert.strictEqual(short.at(-1), `error Unable to write event (retry limit exceeded!) ${about("Third")}`)
  })

  it("continues after a response that is not an Event", () => {
    const errors: Array<string> = []
    const time = makeVirtualTime(START, { handleError: (source) => void errors.push(source) })
    let asked = 0
    const connection: Connection = {
      send: cancellable((_, reply) => {
        asked++
        reply(Result.succeed((asked === 1 ? {} : node) as never))
      }),
      watch: () => () => {}
    }
    const recorder = makeEventRecorder(connection, time.timers, rngOf(3), { component: "tests" })
    for (const reason of ["First", "Second", "Third"]) {
      recorder.event(node, "Normal", reason, "told")
      time.runUntil(START + 1000)
    }
    assert.strictEqual(asked, 3)
    assert.strictEqual(recorder.waiting(), 0)
    assert.isAbove(errors.length, 0)
  })

  it("writes an Event as client-go does, later and not within the call", () => {
    const { recorder, server, stored, time } = setUp()
    time.runUntil(START + 1500)
    recorder.event(node, "Normal", "NodeNotReady", "Node n1 status is now: NodeNotReady")
    assert.strictEqual(server.requests.length, 0)
    time.runUntil(START + 1500)
    const [event] = stored()
    const { metadata, ...rest } = event as Event
    assert.match(metadata.name ?? "", /^n1\.[0-9a-f]{16}$/)
    assert.strictEqual(metadata.namespace, "default")
    assert.deepStrictEqual(rest, {
      apiVersion: "v1",
      kind: "Event",
      involvedObject: { apiVersion: "v1", kind: "Node", name: "n1", uid: "u1", resourceVersion: "7" },
      reason: "NodeNotReady",
      message: "Node n1 status is now: NodeNotReady",
      source: { component: "node-controller" },
      firstTimestamp: "2026-01-01T00:00:01Z",
      lastTimestamp: "2026-01-01T00:00:01Z",
      count: 1,
      type: "Normal",
      eventTime: null,
      reportingComponent: "node-controller",
      reportingInstance: ""
    })
  })

  it("uses a reference as it is, and puts the Event into the object's namespace", () => {
    const { recorder, stored, time } = setUp()
    const pod = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "p" }
    recorder.event(pod, "Normal", "TaintManagerEviction", "Marking for deletion Pod shop/p")
    time.runUntil(START)
    assert.deepStrictEqual(stored()[0]?.involvedObject, pod)
    assert.strictEqual(stored()[0]?.metadata.namespace, "shop")
  })

  it("writes annotations, if there are any", () => {
    const { recorder, stored, time } = setUp()
    recorder.event(node, "Warning", "Evicted", "a", { starved_resource: "memory" })
    recorder.event(node, "Warning", "Evicted", "b", {})
    time.runUntil(START)
    assert.deepStrictEqual(
      stored().map(({ metadata }) => metadata.annotations),
      [{ starved_resource: "memory" }, undefined]
    )
  })

  it("counts repeats in one Event, and creates it again with its count when it has expired", () => {
    const { recorder, server, stored, time } = setUp()
    recorder.event(node, "Normal", "A", "same")
    time.runUntil(START + 60_000)
    recorder.event(node, "Normal", "A", "same")
    time.runUntil(START + 120_000)
    assert.deepStrictEqual(
      server.requests.map(({ verb }) => verb),
      ["create", "patch"]
    )
    const [event] = stored() as [Event]
    assert.deepStrictEqual(
      [event.count, event.firstTimestamp, event.lastTimestamp],
      [2, "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"]
    )
    server.remove("Event", event.metadata.name ?? "", "default")
    recorder.event(node, "Normal", "A", "same")
    time.runUntil(START + 120_001)
    assert.deepStrictEqual(
      stored().map(({ count, metadata }) => [metadata.name, count]),
      [[event.metadata.name, 3]]
    )
  })

  it("names Events of the same instant differently", () => {
    const { recorder, stored, time } = setUp()
    for (const message of ["a", "b", "c"]) recorder.event(node, "Normal", "A", message)
    time.runUntil(START)
    assert.strictEqual(new Set(stored().map(keyOf)).size, 3)
  })

  it("combines the tenth and later messages of one reason, for ten minutes after the last", () => {
    const { recorder, stored, time } = setUp()
    for (let n = 1; n <= 12; n++) recorder.event(node, "Warning", "A", `message ${n}`)
    time.runUntil(START)
    assert.strictEqual(stored().length, 10)
    const combined = stored().filter(({ message }) => message?.startsWith("(combined from similar events): "))
    assert.deepStrictEqual(
      combined.map(({ count, message }) => [count, message]),
      [[3, "(combined from similar events): message 12"]]
    )
    time.runUntil(START + 600_001)
    recorder.event(node, "Warning", "A", "message 13")
    time.runUntil(START + 600_001)
    assert.strictEqual(stored().filter(({ message }) => message === "message 13").length, 1)
  })

  it("records 25 events about one object, then one each five minutes", () => {
    const { drops, recorder, server, time } = setUp()
    for (let n = 0; n < 30; n++) recorder.event(node, "Normal", "A", "same")
    const other = { ...node, metadata: { ...node.metadata, name: "n2", uid: "u2" } }
    recorder.event(other, "Normal", "A", "same")
    time.runUntil(START)
    assert.strictEqual(server.requests.length, 26)
    assert.deepStrictEqual(drops, ["spam", "spam", "spam", "spam", "spam"])
    time.runUntil(START + 301_000)
    recorder.event(node, "Normal", "A", "same")
    recorder.event(node, "Normal", "A", "same")
    time.runUntil(START + 301_000)
    assert.strictEqual(server.requests.length, 27)
  })

  it("tries twelve times without a response, the first pause being random, and delays the other events meanwhile", () => {
    const at: Array<number> = []
    const { drops, recorder, server, stored, time } = setUp((connection) => ({
      ...connection,
      send: cancellable((request, reply) => {
        at.push(time.timers.now() - START)
        connection.send(request, reply)
      })
    }))
    server.cut()
    recorder.event(node, "Normal", "A", "one")
    recorder.event(node, "Normal", "B", "two")
    time.runUntil(START + 200_000)
    const first = at[1] ?? 0
    assert.isTrue(first > 0 && first < 10_000)
    for (let n = 2; n < 12; n++) assert.approximately(at[n] ?? 0, first + (n - 1) * 10_000, 0.01)
    assert.deepStrictEqual(drops, ["unreachable"])
    server.heal()
    time.runUntil(START + 300_000)
    assert.deepStrictEqual(
      stored().map(({ message }) => message),
      ["two"]
    )
  })

  it("drops an event at once if the API refuses it", () => {
    const asked: Array<ApiRequest> = []
    const { drops, recorder, time } = setUp(() => ({
      watch: () => () => {},
      send: cancellable((request, reply) => {
        asked.push(request)
        reply(refused(403, "Forbidden"))
      })
    }))
    recorder.event(node, "Normal", "A", "one")
    time.runUntil(START + 60_000)
    assert.strictEqual(asked.length, 1)
    assert.deepStrictEqual(drops, ["rejected"])
  })

  it("writes one at a time, queues a thousand and drops the rest", () => {
    const replies: Array<() => void> = []
    const { drops, recorder, stored, time } = setUp((connection) => ({
      ...connection,
      send: cancellable((request, reply) => replies.push(() => connection.send(request, reply)))
    }))
    for (let n = 0; n < 1500; n++) {
      const pod = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: `p${n}` }
      recorder.event(pod, "Normal", "A", "one")
      if (n === 0) time.runUntil(START)
    }
    time.runUntil(START)
    assert.strictEqual(replies.length, 1)
    assert.strictEqual(recorder.waiting(), 1000)
    assert.strictEqual(drops.length, 499)
    for (let next = replies.shift(); next !== undefined; next = replies.shift()) next()
    assert.strictEqual(stored().length, 1001)
    recorder.event(node, "Normal", "A", "late")
    recorder.close()
    time.runUntil(START + 1)
    assert.strictEqual(replies.length, 0)
  })
})
