import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { formatMicroTime } from "@rollcall/api"
import { type Answer, ApiError, isGone } from "@rollcall/cluster"
import type { Store, StoreShape } from "@rollcall/store"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { ApiServer, type AuditRecord } from "../../src/core/index.ts"
import { startSharingServers } from "./sharingServers.ts"
import { eventLines, lease, makeTestServer, node, pod, START_MS } from "./testServer.ts"

/** A store that takes its time, as one on a disk does: applied and answered in the order of the calls, a moment later. */
const slowStore = (store: StoreShape, timers: Timers["Service"]): StoreShape => ({
  ...store,
  write: (batch, reply) => void timers.after(5, () => store.write(batch, reply)),
  get: (key, reply) => void timers.after(1, () => store.get(key, reply)),
  range: (prefix, options, reply) => void timers.after(1, () => store.range(prefix, options, reply))
})

describe("audit", () => {
  it("reports every write, its user, and its result, and no read", () => {
    const testServer = makeTestServer()
    const records: Array<AuditRecord> = []
    testServer.server.setAudit((record) => records.push(record))
    const created = testServer.create("Node", node("n"))
    testServer.list("Node")
    testServer.refusalOf({ verb: "create", kind: "Node", object: node("n") })
    testServer.ask({ verb: "delete", kind: "Node", name: "n" })
    testServer.create("Lease", lease("n"))
    const held = testServer.get("Lease", "n", "kube-node-lease") as KubeObject
    const renewal = { ...held, spec: { renewTime: formatMicroTime(START_MS + 1) } }
    const kubelet = testServer.server.connect({ user: "system:node:n", groups: ["system:nodes"], userAgent: "kubelet" })
    kubelet.send({ verb: "update", kind: "Lease", namespace: "kube-node-lease", name: "n", object: renewal }, () => {})
    assert.deepStrictEqual(
      records.map(({ code, identity, object, request }) => [
        request.verb,
        code,
        identity.userAgent,
        object?.metadata.name
      ]),
      [
        ["create", 201, "test", "n"],
        ["create", 409, "test", undefined],
        ["delete", 200, "test", "n"],
        ["create", 201, "test", "n"],
        ["update", 200, "kubelet", "n"]
      ]
    )
    assert.strictEqual(records[0]?.object, created)
    for (const name of ["a", "b"]) testServer.create("Pod", pod(name))
    testServer.ask({ verb: "deletecollection", kind: "Pod", namespace: "default" })
    assert.deepStrictEqual(
      records.slice(7).map(({ object }) => object?.metadata.name),
      ["a", "b", undefined]
    )
    testServer.server.setAudit(undefined)
    testServer.create("Node", node("m"))
    assert.strictEqual(records.length, 10)
  })
})

describe("restore", () => {
  it("writes objects unchanged, and adds only the fields of every object", () => {
    const testServer = makeTestServer()
    const given = {
      ...(pod(
        "p",
        { nodeName: "n" },
        { namespace: "elsewhere", uid: "u", creationTimestamp: "2025-01-01T00:00:00Z" }
      ) as KubeObject),
      status: { phase: "Running" as const }
    }
    testServer.time.run(testServer.server.restore([given, node("n") as KubeObject]))
    const restored = testServer.get("Pod", "p", "elsewhere")
    assert.deepStrictEqual(restored?.status, { phase: "Running" })
    assert.deepInclude(restored?.metadata, { uid: "u", creationTimestamp: "2025-01-01T00:00:00Z", generation: 1 })
    assert.strictEqual(restored?.metadata.resourceVersion, String(testServer.server.revision()))
    // No admission: no taint, no tolerations.
    assert.strictEqual(testServer.get("Node", "n")?.spec, undefined)
    assert.strictEqual(restored?.spec.tolerations, undefined)
    assert.strictEqual(testServer.get("Namespace", "elsewhere")?.status?.phase, "Active")
    // And it can be written as anything else can.
    const body = { metadata: { labels: { a: "1" } } }
    assert.isDefined(
      testServer.ask({ verb: "patch", kind: "Pod", namespace: "elsewhere", name: "p", patchType: "merge", body })
    )
  })

  it("sets the defaults of objects that do not have them", () => {
    const testServer = makeTestServer()
    const objects = ["bare", "whole"].map((name) => pod(name, { nodeName: "n" }, { namespace: "a" }) as KubeObject)
    const hasDefaults = ({ metadata }: KubeObject) => metadata.name === "whole"
    testServer.time.run(testServer.server.restore(objects, { hasDefaults }))
    assert.strictEqual(testServer.get("Pod", "bare", "a")?.spec.restartPolicy, "Always")
    assert.strictEqual(testServer.get("Pod", "whole", "a")?.spec.restartPolicy, undefined)
  })

  it("refuses objects without a name, and unknown kinds", () => {
    const testServer = makeTestServer()
    const refuse = (object: KubeObject) => {
      const exit = testServer.time.run(Effect.flip(testServer.server.restore([object])))
      return Exit.isSuccess(exit) ? exit.value.message : ""
    }
    assert.match(refuse({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } }), /has no metadata.namespace$/)
    assert.match(refuse({ apiVersion: "v1", kind: "Zork", metadata: { name: "p" } }), /no kind "Zork" is served/)
  })
})

describe("events", () => {
  it("expire an hour after they were last written", () => {
    const testServer = makeTestServer()
    const event = (name: string) => ({
      metadata: { name, namespace: "default" },
      involvedObject: { namespace: "default" }
    })
    testServer.create("Event", event("a"))
    testServer.advance(1_800_000)
    testServer.create("Event", event("b"))
    const log = testServer.watch("Event", { resourceVersion: String(testServer.server.revision()) })
    testServer.ask({
      verb: "patch",
      kind: "Event",
      namespace: "default",
      name: "a",
      patchType: "merge",
      body: { count: 2 }
    })
    testServer.advance(3_599_999)
    assert.strictEqual(testServer.list("Event").items.length, 2)
    testServer.advance(1)
    assert.deepStrictEqual(testServer.list("Event").items, [])
    assert.deepStrictEqual(eventLines(log), ["MODIFIED a", "DELETED b", "DELETED a"])
  })
})

describe("over a slow store", () => {
  it("replies after the store has replied", () => {
    const [testServer] = startSharingServers(1, slowStore).servers
    if (testServer === undefined) return
    const answers: Array<Answer> = []
    testServer.connection.send({ verb: "create", kind: "Node", object: node("n") }, (answer) => answers.push(answer))
    assert.strictEqual(answers.length, 0)
    testServer.advance(4)
    assert.strictEqual(testServer.get("Node", "n"), undefined)
    testServer.advance(5)
    assert.strictEqual(answers.length, 1)
    assert.isDefined(testServer.get("Node", "n"))
  })

  it("applies all of many concurrent writes: retries patches and unconditional updates, and refuses conditional ones", () => {
    const [testServer] = startSharingServers(1, slowStore).servers
    if (testServer === undefined) return
    const created = testServer.create("Node", node("n"))
    const answers: Array<Answer> = []
    const send = (request: Parameters<typeof testServer.connection.send>[0]) =>
      testServer.connection.send(request, (answer) => answers.push(answer))
    const label = (key: string) => ({ metadata: { labels: { [key]: "1" } } })
    for (const key of ["a", "b", "c"])
      send({ verb: "patch", kind: "Node", name: "n", patchType: "merge", body: label(key) })
    send({
      verb: "update",
      kind: "Node",
      name: "n",
      object: { ...created, metadata: { ...created.metadata, labels: { late: "1" } } }
    })
    send({ verb: "create", kind: "Node", object: node("n") })
    send({
      verb: "delete",
      kind: "Node",
      name: "n",
      options: { preconditions: { resourceVersion: created.metadata.resourceVersion ?? "" } }
    })
    testServer.advance(1000)
    const reasons = answers
      .filter(Result.isFailure)
      .map(({ failure }) => (failure instanceof ApiError ? failure.reason : "?"))
    assert.deepStrictEqual([...reasons].sort(), ["AlreadyExists", "Conflict", "Conflict"])
    assert.deepStrictEqual(testServer.get("Node", "n")?.metadata.labels, { a: "1", b: "1", c: "1" })
  })

  it("refuses the second of two renewals of the same revision", () => {
    const [testServer] = startSharingServers(1, slowStore).servers
    if (testServer === undefined) return
    const held = testServer.create("Lease", lease("n"))
    const answers: Array<Answer> = []
    for (const second of [1, 2]) {
      const object = { ...held, spec: { ...held.spec, renewTime: formatMicroTime(START_MS + second) } }
      const request = { verb: "update", kind: "Lease", namespace: "kube-node-lease", name: "n", object } as const
      testServer.connection.send(request, (answer) => answers.push(answer))
    }
    testServer.advance(100)
    assert.deepStrictEqual(answers.map(Result.isSuccess), [true, false])
    assert.strictEqual(testServer.get("Lease", "n", "kube-node-lease")?.spec?.renewTime, formatMicroTime(START_MS + 1))
  })

  it("stops retrying a patch that always conflicts", () => {
    const { servers, store } = startSharingServers(1, slowStore)
    const [testServer] = servers
    if (testServer === undefined) return
    testServer.create("Node", node("n"))
    // Somebody writes the object into the store just before each attempt gets there.
    const meddle = () => {
      store.get("/registry/minions/n", (result) => {
        const entry = Result.getOrThrow(result)
        if (entry !== undefined) store.write([{ type: "put", key: entry.key, value: entry.value }], () => {})
      })
      testServer.time.timers.after(2, meddle)
    }
    meddle()
    const answers: Array<Answer> = []
    const body = { metadata: { labels: { a: "1" } } }
    testServer.connection.send({ verb: "patch", kind: "Node", name: "n", patchType: "merge", body }, (answer) =>
      answers.push(answer)
    )
    testServer.advance(1000)
    const [answer] = answers
    assert.isTrue(
      answer !== undefined &&
        Result.isFailure(answer) &&
        answer.failure instanceof ApiError &&
        answer.failure.reason === "Conflict"
    )
  })
})

describe("two servers over one store", () => {
  it("see each other's writes, in order, and never lose one", () => {
    const { servers, time } = startSharingServers(2)
    const [left, right] = servers
    if (left === undefined || right === undefined) return
    const log = right.watch("Node", { resourceVersion: String(right.server.revision()) })
    left.create("Node", node("a"))
    // Not told yet, but a write with the old view of things is refused by the store.
    const refused = right.refusalOf({ verb: "create", kind: "Node", object: node("a") })
    assert.strictEqual(refused.reason, "AlreadyExists")
    right.create("Node", node("b"))
    left.ask({ verb: "delete", kind: "Node", name: "b" })
    time.runUntil(time.timers.now())
    assert.deepStrictEqual(eventLines(log), ["ADDED a", "ADDED b", "DELETED b"])
    assert.deepStrictEqual(left.list("Node"), right.list("Node"))
    const revisions = log.events.map((event) => Number((event.object as KubeObject).metadata.resourceVersion))
    assert.deepStrictEqual(
      revisions,
      [...revisions].sort((one, other) => one - other)
    )
  })

  it("read everything again when one has written more at once than the store's history holds", () => {
    const { servers } = startSharingServers(2, undefined, 4)
    const [left, right] = servers
    if (left === undefined || right === undefined) return
    const log = right.watch("Node", { resourceVersion: String(right.server.revision()) })
    const own = left.watch("Node", { resourceVersion: String(left.server.revision()) })
    right.settle()
    for (let index = 0; index < 10; index++) left.create("Node", node(`n${index}`))
    right.settle()
    assert.strictEqual(right.list("Node").items.length, 10)
    assert.deepStrictEqual(right.list("Node"), left.list("Node"))
    assert.isTrue(log.ends[0] instanceof ApiError && isGone(log.ends[0]))
    // The server that wrote has missed nothing, and neither have its watches.
    assert.strictEqual(own.events.length, 10)
    left.create("Node", node("more"))
    right.settle()
    assert.isDefined(right.get("Node", "more"))
  })

  it("have all objects after a restart, and end watches when they stop", () => {
    const { servers, start } = startSharingServers(1)
    const [first] = servers
    if (first === undefined) return
    first.create("Pod", pod("p", { nodeName: "n" }))
    const log = first.watch("Pod")
    first.settle()
    const before = first.list("Pod")
    first.stop()
    assert.deepStrictEqual(log.ends, [undefined])
    const second = start()
    assert.deepStrictEqual(second.list("Pod"), before)
    assert.deepStrictEqual(second.list("Pod", { fieldSelector: "spec.nodeName=n" }).items, before.items)
    // What is there already is not made again.
    assert.strictEqual(second.list("Namespace").items.length, 4)
    assert.strictEqual(second.server.revision(), Number(before.metadata.resourceVersion))
  })
})

it("requires only Timers and a Store", () => {
  const layer: Layer.Layer<ApiServer, unknown, Timers | Store> = ApiServer.layer()
  assert.isDefined(layer)
})
