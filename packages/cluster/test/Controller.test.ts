import type { Deployment, KindName, KubeObject, ReplicaSet } from "@rollcall/api"
import { makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { Cluster, ConnectionError, Controller, fromConnection, keyOf } from "../src/index.ts"
import { FakeServer } from "../src/testing/index.ts"

const START = Date.UTC(2026, 0, 1)

const deployment = (name: string, labels: Readonly<Record<string, string>> = { app: name }): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "d", uid: `uid-${name}` },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [] } } }
})

const replicaSet = (name: string, owner: string | undefined, app = "none"): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name,
    namespace: "d",
    labels: { app },
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: "apps/v1", kind: "Deployment", name: owner, uid: `uid-${owner}`, controller: true }
          ]
        })
  },
  spec: { selector: {} }
})

/** A server, and controllers of it on virtual time. Errors that are handled are noted. */
const setUp = () => {
  const errors: Array<unknown> = []
  const time = makeVirtualTime(START, { handleError: (_, error) => errors.push(error) })
  const server = new FakeServer(time.timers)
  const cluster = Layer.merge(
    Layer.succeed(Cluster, fromConnection(server.connection)),
    Layer.succeed(Timers, time.timers)
  )
  const run = (controller: Layer.Layer<never, never, Cluster | Timers>) => {
    const fiber = time.fork(Layer.launch(controller.pipe(Layer.provide(cluster))))
    return () => fiber.interruptUnsafe()
  }
  const after = (ms: number) => time.runUntil(time.timers.now() + ms)
  const put = (kind: KindName, object: KubeObject) => {
    server.put(kind, object)
    after(1)
  }
  return { after, errors, put, run, server, time }
}

/** Notes which keys are looked at, since it was asked last. */
const recordKeys = () => {
  const seen: Array<string> = []
  return { look: (key: string) => Effect.sync(() => void seen.push(key)), taken: () => seen.splice(0).sort() }
}

describe("a controller", () => {
  it("queues its objects, the owners of the objects it creates, and the previous owner", () => {
    const { after, put, run, server } = setUp()
    const { look, taken } = recordKeys()
    for (const name of ["a", "b", "c"]) server.put("Deployment", deployment(name))
    run(
      Controller.make({
        name: "deployment-controller",
        for: "Deployment",
        owns: { ReplicaSet: { adoptedBy: ({ spec }) => spec.selector } },
        reconcile: () => look
      })
    )
    after(1)
    assert.deepStrictEqual(taken(), ["d/a", "d/b", "d/c"])
    put("ReplicaSet", replicaSet("s", "a"))
    assert.deepStrictEqual(taken(), ["d/a"])
    put("ReplicaSet", replicaSet("s", "b"))
    assert.deepStrictEqual(taken(), ["d/a", "d/b"])
    put("ReplicaSet", replicaSet("s", undefined, "c"))
    assert.deepStrictEqual(taken(), ["d/b", "d/c"])
    put("ReplicaSet", replicaSet("s", "a"))
    taken()
    server.remove("ReplicaSet", "s", "d")
    after(1)
    assert.deepStrictEqual(taken(), ["d/a"])
    server.remove("Deployment", "b", "d")
    after(1)
    assert.deepStrictEqual(taken(), ["d/b"])
  })

  it("skips irrelevant events, delays others, and handles events of further kinds", () => {
    const { after, put, run } = setUp()
    const { look, taken } = recordKeys()
    run(
      Controller.make({
        name: "deployments",
        for: "Deployment",
        when: ({ metadata }, { isDeleted }) => !isDeleted && metadata.name !== "other",
        delayMs: (_, { before }) => (before === undefined ? 0 : 1000),
        watches: {
          Node: {
            concerns: (_, { before, cache }) => (before === undefined ? [] : cache("Deployment").list().map(keyOf))
          }
        },
        reconcile: () => look
      })
    )
    after(1)
    put("Deployment", deployment("other"))
    put("Deployment", deployment("a"))
    assert.deepStrictEqual(taken(), ["d/a"])
    put("Deployment", deployment("a", { app: "b" }))
    assert.deepStrictEqual(taken(), [])
    after(1000)
    assert.deepStrictEqual(taken(), ["d/a"])
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }
    put("Node", node)
    assert.deepStrictEqual(taken(), [])
    put("Node", node)
    assert.deepStrictEqual(taken(), ["d/a", "d/other"])
  })

  it("starts when all of its caches have synced", () => {
    const { after, run, server } = setUp()
    const known: Array<number> = []
    server.put("Deployment", deployment("a"))
    server.put("ReplicaSet", replicaSet("s", "a"))
    server.cut()
    run(
      Controller.make({
        name: "deployments",
        for: "Deployment",
        watches: { ReplicaSet: {} },
        reconcile: ({ cache }) => {
          known.push(cache("ReplicaSet").size())
          return () => Effect.void
        }
      })
    )
    after(100)
    assert.deepStrictEqual(known, [])
    server.heal()
    after(10_000)
    assert.deepStrictEqual(known, [1])
  })

  it("retries a key with back-off after a failure or defect, and handles other keys meanwhile", () => {
    const { after, errors, put, run, time } = setUp()
    const looks: Array<string> = []
    let fails = 3
    run(
      Controller.make({
        name: "deployments",
        for: "Deployment",
        reconcile: () => (key) =>
          Effect.suspend(() => {
            looks.push(`${key} ${time.timers.now() - START}`)
            if (key === "d/good" || fails-- <= 0) return Effect.void
            return fails % 2 === 0
              ? Effect.fail(new ConnectionError({ message: "cut" }))
              : Effect.die(new Error("lost"))
          })
      })
    )
    put("Deployment", deployment("bad"))
    put("Deployment", deployment("good"))
    after(100)
    assert.deepStrictEqual(looks, ["d/bad 0", "d/good 1", "d/bad 5", "d/bad 15", "d/bad 35"])
    assert.deepStrictEqual(errors.map(String), ["Error: lost"])
  })

  it("is rebuilt when its construction dies, and removes the handlers of the dead one", () => {
    const { after, errors, put, run } = setUp()
    let built = 0
    const heard: Array<number> = []
    run(
      Controller.make({
        name: "deployments",
        for: "Deployment",
        reconcile: ({ cache }) =>
          Effect.sync(() => {
            const life = ++built
            cache("Deployment").addHandler({ onAdd: () => void heard.push(life) })
            if (life === 1) throw new Error("no start")
            return () => Effect.void
          })
      })
    )
    after(5000)
    put("Deployment", deployment("a"))
    assert.deepStrictEqual([built, heard], [2, [2]])
    assert.deepStrictEqual(errors.map(String), ["Error: no start"])
  })

  it("has further queues of its own, and ends with its layer", () => {
    const { after, put, run, server } = setUp()
    const { look, taken } = recordKeys()
    const stop = run(
      Controller.make({
        name: "deployments",
        for: "Deployment",
        reconcile: Effect.fnUntraced(function* ({ addQueue, cache }) {
          const second = yield* addQueue("", 1, (key) => look(`second ${key}`))
          cache("Deployment").addHandler({ onAdd: ({ metadata: { name = "" } }) => second.add(name) })
          return look
        })
      })
    )
    after(1)
    put("Deployment", deployment("a"))
    assert.deepStrictEqual(taken(), ["d/a", "second a"])
    stop()
    put("Deployment", deployment("b"))
    after(10_000)
    assert.deepStrictEqual(taken(), [])
    const { length } = server.requests
    server.closeWatches()
    after(60_000)
    assert.strictEqual(server.requests.length, length)
  })

  it("with a synchronous reconciler runs the configured number of workers from its first lists until its layer closes", () => {
    const { after, put, run, server, time } = setUp()
    const looks: Array<string> = []
    server.put("Deployment", deployment("a"))
    const stop = run(
      Controller.plain<ConnectionError>({
        name: "deployments",
        queue: "deployment",
        workers: 2,
        make: ({ queue }) => ({
          handlers: { Deployment: { onAdd: (object) => queue.add(keyOf(object)) }, Node: {} },
          work: (key, done) => {
            looks.push(key)
            time.timers.after(100, () => done(looks.length < 3 ? new ConnectionError({ message: "cut" }) : undefined))
          }
        })
      })
    )
    put("Deployment", deployment("b"))
    put("Deployment", deployment("c"))
    assert.deepStrictEqual(looks, ["d/a", "d/b"])
    after(99)
    assert.strictEqual(looks[2], "d/c")
    after(1000)
    assert.isTrue(looks.length > 3)
    stop()
    const { length } = looks
    put("Deployment", deployment("e"))
    after(10_000)
    assert.strictEqual(looks.length, length)
  })
})
