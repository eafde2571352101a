import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { type Answer, ApiError } from "@rollcall/cluster"
import { type Revision, StoreCompacted, StoreFailure, type StoreShape } from "@rollcall/store"
import type { Timers } from "@rollcall/time"
import * as Result from "effect/Result"
import { serviceAllocation } from "../../src/core/admission/services/ServiceAllocation.ts"
import { defaultAdmissionPlugins } from "../../src/core/index.ts"
import { startSharingServers } from "./sharingServers.ts"
import { eventLines, lease, node } from "./testServer.ts"

/** How long a change takes to reach a server, and a question the store. */
const WATCH_MS = 500
const ASK_MS = 2

/** A store on the network, that other servers write to: changes arrive late, and its newest revision must be asked for. */
const onNetwork = (store: StoreShape, timers: Timers["Service"]): StoreShape & { asked: number } => {
  let known: Revision = store.revision()
  const remote = {
    ...store,
    asked: 0,
    revision: () => known,
    current: (reply: (result: Result.Result<Revision, StoreFailure>) => void) => {
      remote.asked++
      timers.after(ASK_MS, () => {
        known = store.revision()
        reply(Result.succeed(known))
      })
    },
    write: (...[batch, reply]: Parameters<StoreShape["write"]>) =>
      void timers.after(ASK_MS, () =>
        store.write(batch, (result, texts) => {
          known = store.revision()
          reply(result, texts)
        })
      ),
    watch: (...[prefix, from, sink]: Parameters<StoreShape["watch"]>) =>
      store.watch(prefix, from, {
        ...sink,
        changes: (batch) => void timers.after(WATCH_MS, () => sink.changes(batch))
      })
  }
  return remote
}

const startTwo = () => {
  const stores: Array<ReturnType<typeof onNetwork>> = []
  const through = (store: StoreShape, timers: Timers["Service"]) => {
    const remote = onNetwork(store, timers)
    stores.push(remote)
    return remote
  }
  const { servers, time } = startSharingServers(2, through, 1000, {
    admission: [...defaultAdmissionPlugins(), serviceAllocation()]
  })
  const [left, right] = servers
  const [, asked] = stores
  if (left === undefined || right === undefined || asked === undefined) throw new Error("two servers start")
  return { left, right, time, asked }
}

const nodeRequest = { kind: "Node", name: "a" } as const

describe("servers of one store on the network", () => {
  it("show what another has acknowledged, to reads that name no revision", () => {
    const { left, right } = startTwo()
    left.create("Node", node("a"))
    assert.strictEqual(right.get("Node", "a")?.metadata.name, "a")
    left.create("Node", node("b"))
    assert.deepStrictEqual(
      right.list("Node").items.map(({ metadata }) => metadata.name),
      ["a", "b"]
    )
    left.create("Node", node("c"))
    const cached = right.list("Node", { resourceVersion: "0" }).items
    assert.strictEqual(cached.length, 2)
  })

  it("start a watch that names no revision with what another has acknowledged", () => {
    const { left, right } = startTwo()
    left.create("Node", node("a"))
    const log = right.watch("Node", { sendInitialEvents: true })
    right.advance(WATCH_MS * 2)
    assert.strictEqual(eventLines(log)[0], "ADDED a")
  })

  it("write what another has just created, and refuse what it has just deleted", () => {
    const { left, right } = startTwo()
    left.create("Node", node("a"))
    const body = { metadata: { labels: { a: "1" } } }
    right.ask({ verb: "patch", ...nodeRequest, patchType: "merge", body })
    assert.deepStrictEqual(left.get("Node", "a")?.metadata.labels, { a: "1" })
    right.ask({ verb: "delete", ...nodeRequest })
    assert.strictEqual(left.refusalOf({ verb: "get", ...nodeRequest }).code, 404)
    assert.strictEqual(left.refusalOf({ verb: "patch", ...nodeRequest, patchType: "merge", body }).code, 404)
  })

  const labelled = (value: string) => ({
    verb: "patch" as const,
    ...nodeRequest,
    patchType: "merge" as const,
    body: { metadata: { labels: { a: value } } }
  })

  it("change an object that they know without asking the store, which compares its revision", () => {
    const { asked, left, right } = startTwo()
    left.create("Node", node("a"))
    const known = right.get("Node", "a") as KubeObject
    const before = asked.asked
    const object = { ...known, metadata: { ...known.metadata, labels: { b: "1" } } }
    const updated = right.ask({ verb: "update", ...nodeRequest, object }) as KubeObject
    right.ask(labelled("1"))
    assert.strictEqual(asked.asked, before)
    // Of an old revision.
    assert.strictEqual(right.refusalOf({ verb: "update", ...nodeRequest, object }).code, 409)
    left.ask(labelled("2"))
    const stale = { ...updated, metadata: { ...updated.metadata, labels: {} } }
    assert.strictEqual(right.refusalOf({ verb: "update", ...nodeRequest, object: stale }).code, 409)
    assert.deepStrictEqual(left.get("Node", "a")?.metadata.labels, { a: "2", b: "1" })
  })

  it("do not take a change for none, or refuse it, because of what another has changed", () => {
    const { asked, left, right } = startTwo()
    left.create("Node", node("a", { metadata: { name: "a", labels: { a: "1" } } }))
    assert.strictEqual(right.get("Node", "a")?.metadata.labels?.a, "1")
    left.ask(labelled("2"))
    // What right still has.
    right.ask(labelled("1"))
    assert.strictEqual(left.get("Node", "a")?.metadata.labels?.a, "1")
    left.ask(labelled("3"))
    const body = [
      { op: "test", path: "/metadata/labels/a", value: "3" },
      { op: "add", path: "/metadata/labels/b", value: "4" }
    ]
    right.ask({ verb: "patch", ...nodeRequest, patchType: "json", body })
    assert.deepStrictEqual(left.get("Node", "a")?.metadata.labels, { a: "3", b: "4" })
    // A change that is none is asked about.
    const before = asked.asked
    right.ask(labelled("3"))
    assert.isAbove(asked.asked, before)
  })

  it("do not write again what the store may have written", () => {
    const message = "etcd did not answer within 10s"
    let isLost = false
    let written = 0
    let asked = 0
    const { servers } = startSharingServers(1, (store, timers) => {
      const remote = onNetwork(store, timers)
      return {
        ...remote,
        current: (reply) => {
          asked++
          remote.current?.(reply)
        },
        write: (batch, reply) => {
          written++
          remote.write(batch, (result, texts) =>
            isLost ? reply(Result.fail(new StoreFailure({ message }))) : reply(result, texts)
          )
        }
      }
    })
    const [server] = servers
    if (server === undefined) throw new Error("a server starts")
    server.create("Node", node("a"))
    ;[isLost, written, asked] = [true, 0, 0]
    assert.strictEqual(server.refusalOf(labelled("1")).code, 500)
    assert.deepStrictEqual([written, asked], [1, 0])
  })

  it("ask the store once for all requests that wait", () => {
    const { asked, right } = startTwo()
    const before = asked.asked
    const answers: Array<Answer> = []
    for (let at = 0; at < 50; at++) {
      right.connection.send({ verb: "list", kind: "Node" }, (answer) => answers.push(answer))
    }
    right.advance(100)
    assert.deepStrictEqual([answers.length, asked.asked - before], [50, 2])
  })

  it("refuse all that waits when the store does not answer", () => {
    const message = "etcd did not answer within 10s"
    const { servers } = startSharingServers(1, (store, timers) => ({
      ...store,
      current: (reply) => void timers.after(50, () => reply(Result.fail(new StoreFailure({ message }))))
    }))
    const [server] = servers
    if (server === undefined) throw new Error("a server starts")
    const answers: Array<Answer> = []
    for (let at = 0; at < 3; at++) server.connection.send({ verb: "list", kind: "Node" }, (one) => answers.push(one))
    server.advance(60)
    assert.deepStrictEqual(
      answers.map((answer) => Result.isFailure(answer) && answer.failure instanceof ApiError && answer.failure.message),
      Array.from({ length: 3 }, () => `Internal error occurred: ${message}`)
    )
  })

  it("give no cluster IP and no node port twice, and give them again once they are free", () => {
    const { left, right } = startTwo()
    const service = (name: string, spec: object = {}) => ({
      kind: "Service",
      apiVersion: "v1",
      metadata: { name, namespace: "default" },
      spec: { type: "NodePort", ports: [{ port: 80 }], ...spec }
    })
    const answers: Array<Answer> = []
    const send = (server: typeof left, name: string, spec?: object) =>
      server.connection.send(
        { verb: "create", kind: "Service", namespace: "default", object: service(name, spec) },
        (answer) => answers.push(answer)
      )
    for (let at = 0; at < 5; at++) {
      send(left, `left-${at}`)
      send(right, `right-${at}`)
    }
    right.advance(60_000)
    assert.deepStrictEqual(answers.filter(Result.isSuccess).length, 10)
    const services = left.list("Service").items
    assert.strictEqual(new Set(services.map(({ spec }) => spec?.clusterIP)).size, 10)
    assert.strictEqual(new Set(services.map(({ spec }) => spec?.ports?.[0]?.nodePort)).size, 10)

    const address = left.get("Service", "left-0", "default")?.spec?.clusterIP
    const taken = right.refusalOf({
      verb: "create",
      kind: "Service",
      namespace: "default",
      object: service("same", { clusterIP: address })
    })
    assert.include(taken.message, "already allocated")
    left.ask({ verb: "delete", kind: "Service", namespace: "default", name: "left-0" })
    right.create("Service", service("same", { clusterIP: address }))
    assert.strictEqual(left.get("Service", "same", "default")?.spec?.clusterIP, address)
  })

  it("refuse the second of two services that ask for the same address at the same time", () => {
    const { left, right } = startTwo()
    const answers: Array<Answer> = []
    for (const [server, name] of [
      [left, "one"],
      [right, "two"]
    ] as const) {
      const object = {
        kind: "Service",
        apiVersion: "v1",
        metadata: { name, namespace: "default" },
        spec: { clusterIP: "10.96.9.9", ports: [{ port: 80 }] }
      }
      server.connection.send({ verb: "create", kind: "Service", namespace: "default", object }, (answer) =>
        answers.push(answer)
      )
    }
    right.advance(5000)
    assert.deepStrictEqual(answers.map(Result.isSuccess).sort(), [false, true])
    const refused = answers.find(Result.isFailure)?.failure
    assert.include((refused as ApiError).message, "provided IP is already allocated")
  })

  it("read everything again until the store answers, when their watch has fallen behind", () => {
    let lose = () => {}
    let failures = 0
    const { servers, time } = startSharingServers(
      2,
      (store, timers) => ({
        ...onNetwork(store, timers),
        range: (prefix, options, reply) => {
          if (failures-- > 0) reply(Result.fail(new StoreFailure({ message: "etcd did not answer" })))
          else store.range(prefix, options, reply)
        },
        watch: (prefix, from, sink) => {
          const end = store.watch(prefix, from, sink)
          lose = () => {
            end()
            sink.end(new StoreCompacted({ requested: 0, oldest: store.revision() + 2 }))
          }
          return end
        }
      }),
      1000,
      {},
      () => {}
    )
    const [left, right] = servers
    if (left === undefined || right === undefined) throw new Error("two servers start")
    failures = 2
    lose()
    left.create("Node", node("a"))
    right.advance(500)
    assert.strictEqual(right.list("Node", { resourceVersion: "0" }).items.length, 0)
    left.create("Node", node("b"))
    time.runUntil(time.timers.now() + 5000)
    assert.strictEqual(right.list("Node", { resourceVersion: "0" }).items.length, 2)
    left.create("Node", node("c"))
    right.advance(100)
    assert.strictEqual(right.list("Node", { resourceVersion: "0" }).items.length, 3)
  })

  it("make the objects of every cluster once, also if both start at the same time", () => {
    const { servers, start } = startSharingServers(1)
    const [first] = servers
    const uidOf = () => (first?.get("Namespace", "default") as KubeObject | undefined)?.metadata.uid
    const uid = uidOf()
    // The second one has read the store before the first one wrote.
    const second = start((store) => ({
      ...store,
      range: (_prefix, _options, reply) => reply(Result.succeed({ entries: [], revision: 0, remaining: 0 }))
    }))
    assert.isString(uid)
    assert.strictEqual(uidOf(), uid)
    assert.strictEqual(second.get("Namespace", "default")?.metadata.uid, uid)
  })
})

describe("a server that starts on a store with a history", () => {
  it("resumes watches from as many of each kind's last changes as the kind keeps", () => {
    const { servers, start } = startSharingServers(1, undefined, 10_000)
    const [before] = servers
    if (before === undefined) throw new Error("a server starts")
    before.create("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } })
    const revision = before.server.revision()
    for (let count = 0; count < 1100; count++) before.create("Lease", lease(`l-${count}`))
    const after = start()
    const newest = after.server.revision()
    const watchFrom = (kind: "ConfigMap" | "Lease", from: number) => {
      const log = after.watch(kind, { resourceVersion: String(from) })
      after.settle()
      return log
    }
    assert.deepStrictEqual(eventLines(watchFrom("ConfigMap", revision - 1)), ["ADDED a"])
    const names = Array.from({ length: 1024 }, (_, index) => `ADDED l-${76 + index}`)
    assert.deepStrictEqual(eventLines(watchFrom("Lease", newest - 1024)), names)
    const { ends, events } = watchFrom("Lease", newest - 1025)
    assert.deepStrictEqual([events, (ends[0] as ApiError).status.code], [[], 410])
  })
})
