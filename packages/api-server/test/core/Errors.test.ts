import { ApiError, type ApiRequest } from "@rollcall/cluster"
import { makeMemoryStore, Store, StoreConflict, type StoreShape } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { AdmissionPlugin } from "../../src/core/index.ts"
import { customResources } from "../../src/custom/index.ts"
import { eventLines, makeTestServer, node, pod, type TestServer, type TestServerOptions } from "./testServer.ts"

const fail = (what: string): never => {
  throw new Error(what)
}

const servesKind = ({ server }: TestServer, kind: string): boolean =>
  [...server.registry.states()].some(({ definition }) => definition.resource.kind === kind)

/** Makes a server whose handled errors are recorded: [source, message]. */
const makeRecordingServer = (options: TestServerOptions = {}) => {
  const errors: Array<readonly [string, string]> = []
  const testServer = makeTestServer({
    handleError: (source, error) => errors.push([source, error instanceof Error ? error.message : String(error)]),
    ...options
  })
  return { testServer, errors }
}

describe("an exception", () => {
  it("in a watch's sink ends that watch with an error; the others continue", () => {
    const { errors, testServer } = makeRecordingServer()
    const { connection, settle } = testServer
    const ends: Array<unknown> = []
    const before = testServer.watch("Node")
    connection.watch(
      { verb: "watch", kind: "Node" },
      { events: () => fail("events"), end: (error) => ends.push(error instanceof ApiError && error.code) }
    )
    const after = testServer.watch("Node")
    settle()
    testServer.create("Node", node("a"))
    settle()
    testServer.create("Node", node("b"))
    settle()
    for (const log of [before, after]) assert.deepStrictEqual(eventLines(log), ["ADDED a", "ADDED b"])
    assert.deepStrictEqual(ends, [500])
    assert.deepStrictEqual(errors, [["watch", "events"]])
  })

  it("in the sink of initial events, of a bookmark and of an end ends no other watch", () => {
    const { errors, testServer } = makeRecordingServer()
    testServer.create("Node", node("a"))
    const sink = { events: () => fail("events"), end: () => fail("end") }
    testServer.connection.watch({ verb: "watch", kind: "Node" }, sink)
    const resourceVersion = String(testServer.server.revision())
    const fromNow = { verb: "watch", kind: "Node", resourceVersion, fieldSelector: "metadata.name=none" } as const
    testServer.connection.watch({ ...fromNow, allowWatchBookmarks: true }, sink)
    testServer.connection.watch({ ...fromNow, timeoutSeconds: 70 }, sink)
    const log = testServer.watch("Node", { allowWatchBookmarks: true })
    testServer.settle()
    testServer.create("Node", node("b"))
    testServer.advance(90_000)
    assert.deepStrictEqual(eventLines(log), ["ADDED a", "ADDED b", "BOOKMARK undefined"])
    assert.deepStrictEqual(
      errors.map(([, message]) => message),
      ["events", "end", "events", "end", "end"]
    )
  })

  it("in an observer of the cache affects neither the write nor other observers and watches", () => {
    const { errors, testServer } = makeRecordingServer()
    const seen: Array<string> = []
    const { cache } = testServer.server.registry.kinds.Node
    cache.observe(() => fail("observer"))
    cache.observe((object, previous) => seen.push((object ?? previous)?.metadata.name ?? ""))
    const log = testServer.watch("Node")
    testServer.create("Node", node("a"))
    testServer.ask({ verb: "delete", kind: "Node", name: "a" })
    testServer.settle()
    assert.deepStrictEqual(seen, ["a", "a"])
    assert.deepStrictEqual(eventLines(log), ["ADDED a", "DELETED a"])
    assert.deepStrictEqual(errors, [
      ["cache observer", "observer"],
      ["cache observer", "observer"]
    ])
  })

  it("in an observer of the kinds hides a new kind from no other observer", () => {
    const { errors, testServer } = makeRecordingServer({ customResources })
    let changes = 0
    testServer.server.registry.observe(() => fail("kinds"))
    testServer.server.registry.observe(() => changes++)
    testServer.create("CustomResourceDefinition", dials)
    testServer.settle()
    assert.isAbove(changes, 0)
    assert.isTrue(servesKind(testServer, "Dial"))
    assert.deepStrictEqual(new Set(errors.map(([source]) => source)), new Set(["registry observer"]))
  })

  it("in the audit does not prevent the response to a write", () => {
    const { errors, testServer } = makeRecordingServer()
    testServer.server.setAudit(() => fail("audit"))
    testServer.create("Node", node("a"))
    assert.strictEqual(testServer.refusalOf({ verb: "delete", kind: "Node", name: "b" }).code, 404)
    assert.deepStrictEqual(errors, [
      ["audit", "audit"],
      ["audit", "audit"]
    ])
  })

  it("in the watches' own log ends the watches of that kind, which list again", () => {
    const { errors, testServer } = makeRecordingServer()
    const log = testServer.watch("Pod")
    const nodes = testServer.watch("Node")
    testServer.create("Pod", pod("a"))
    testServer.settle()
    // An object that the index of pods cannot read.
    const { cache, channel } = testServer.server.registry.kinds.Pod
    const object = cache.get("default", "a")?.object ?? fail("no pod")
    const odd = {
      ...object,
      get spec(): never {
        return fail("spec")
      }
    }
    channel.publish({
      revision: testServer.server.revision(),
      event: { type: "MODIFIED", object: odd },
      previous: object,
      size: 0
    })
    testServer.create("Node", node("n"))
    testServer.settle()
    assert.strictEqual((log.ends[0] as ApiError).code, 410)
    assert.deepStrictEqual(eventLines(nodes), ["ADDED n"])
    assert.deepStrictEqual(errors, [["watch channel", "spec"]])
    const again = testServer.watch("Pod")
    testServer.settle()
    assert.deepStrictEqual(eventLines(again), ["ADDED a"])
  })

  it("in a request that continues after a later reply of the store refuses only that request", () => {
    const { errors, late, testServer } = makeServerWithLateStore()
    late.conflicts = 1
    const answers: Array<readonly [string, unknown]> = []
    const send = (name: string, request: ApiRequest) =>
      testServer.connection.send(request, (result) =>
        answers.push([name, Result.isSuccess(result) ? "ok" : (result.failure as ApiError).status])
      )
    const body = { metadata: { labels: { a: "b" } } }
    late.isFaulty = true
    send("faulty", { verb: "patch", kind: "Node", name: "a", patchType: "merge", body })
    send("sound", { verb: "create", kind: "Node", object: node("c") })
    late.answer()
    const [faulty, sound] = answers
    assert.strictEqual(faulty?.[0], "faulty")
    assert.include(faulty?.[1], {
      code: 500,
      message: "This request caused apiserver to panic. Look in the logs for details."
    })
    assert.deepStrictEqual(sound, ["sound", "ok"])
    assert.deepStrictEqual(errors, [["request", "admission"]])
  })

  it("in a client's reply prevents no other client's response", () => {
    const { errors, late, testServer } = makeServerWithLateStore()
    const answers: Array<string> = []
    testServer.connection.send({ verb: "create", kind: "Node", object: node("b") }, () => fail("reply"))
    testServer.connection.send({ verb: "create", kind: "Node", object: node("c") }, () => answers.push("c"))
    late.answer()
    assert.deepStrictEqual(answers, ["c"])
    assert.include(
      errors.map(([, message]) => message),
      "reply"
    )
  })

  it("while a stored value is read affects neither other objects nor the server's start", () => {
    let store: StoreShape | undefined
    const layer = Layer.effect(
      Store,
      Effect.map(Timers, (timers) => {
        store = makeMemoryStore(timers)
        store.write([{ type: "put", key: "/registry/minions/odd", value: null }], () => {})
        return store
      })
    )
    const { errors, testServer } = makeRecordingServer({ store: layer })
    testServer.create("Node", node("a"))
    const log = testServer.watch("Node")
    store?.write(
      [
        { type: "put", key: "/registry/minions/odd2", value: null },
        {
          type: "put",
          key: "/registry/minions/b",
          value: node("b")
        }
      ],
      () => {}
    )
    testServer.settle()
    assert.deepStrictEqual(eventLines(log), ["ADDED a", "ADDED b"])
    assert.deepStrictEqual(
      errors.map(([source]) => source),
      ["stored object", "stored history", "store watch"]
    )
  })

  it("in a stored definition does not prevent the server's start", () => {
    let store: StoreShape | undefined
    const layer = Layer.effect(
      Store,
      Effect.map(Timers, (timers) => {
        store = makeMemoryStore(timers)
        const conditions = [{ type: "Established", status: "True" }]
        const value = {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: "odd" },
          spec: { group: "rollcall.example.com", scope: "Namespaced" },
          status: { conditions }
        }
        const key = "/registry/apiextensions.k8s.io/customresourcedefinitions/odd"
        store.write([{ type: "put", key, value }], () => {})
        return store
      })
    )
    const { errors, testServer } = makeRecordingServer({ store: layer, customResources })
    testServer.settle()
    testServer.create("CustomResourceDefinition", dials)
    testServer.settle()
    assert.isTrue(servesKind(testServer, "Dial"))
    assert.include(
      errors.map(([source]) => source),
      "custom resource definition"
    )
  })
})

const dials = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "dials.rollcall.example.com" },
  spec: {
    group: "rollcall.example.com",
    scope: "Namespaced",
    names: { plural: "dials", singular: "dial", kind: "Dial", listKind: "DialList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
      }
    ]
  }
}

/** Makes a server with node `a`, whose store holds back the replies to writes until `late.answer()`, as a store in another thread may. */
const makeServerWithLateStore = () => {
  const owed: Array<() => void> = []
  let started = false
  const late = {
    conflicts: 0,
    isFaulty: false,
    answer: () => {
      while (owed.length > 0) owed.shift()?.()
    }
  }
  const layer = Layer.effect(
    Store,
    Effect.map(Timers, (timers) => {
      const store = makeMemoryStore(timers)
      const write: StoreShape["write"] = (batch, reply) => {
        if (!started) return store.write(batch, reply)
        owed.push(() => {
          if (late.conflicts-- > 0) reply(Result.fail(new StoreConflict({ key: "a", actual: 0 })))
          else store.write(batch, reply)
        })
      }
      return { ...store, write }
    })
  )
  let asked = 0
  const plugin: AdmissionPlugin = {
    name: "Odd",
    admits: (kind) => kind === "Node",
    mutate: ({ name, object }) =>
      late.isFaulty && name === "a" && asked++ > 0 ? fail("admission") : Result.succeed(object)
  }
  const noted = makeRecordingServer({ store: layer, admission: [plugin] })
  noted.testServer.create("Node", node("a"))
  started = true
  return { ...noted, late }
}
