import type { Node } from "@rollcall/api"
import { makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { assert, describe, it } from "vitest"
import {
  Cluster,
  type Feed,
  fromConnection,
  Informers,
  type InformersShape,
  keyOf,
  layerSharedInformers
} from "../src/index.ts"
import { FakeServer } from "../src/testing/index.ts"

const START = Date.UTC(2026, 0, 1)

const node = (name: string, zone = "a"): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { zone } }
})

const zoneOf = ({ metadata }: Node) => metadata.labels?.zone

/** A server, and the shared informers of one manager on virtual time. */
const setUp = (seed = "one") => {
  const time = makeVirtualTime(START)
  const server = new FakeServer(time.timers)
  const below = Layer.merge(
    Layer.succeed(Cluster, fromConnection(server.connection)),
    Layer.succeed(Timers, time.timers)
  )
  const run = <A>(effect: Effect.Effect<A, never, Cluster | Timers>): A => {
    const exit = time.run(effect.pipe(Effect.provide(below), Random.withSeed(seed)))
    return Exit.isSuccess(exit) ? exit.value : assert.fail(String(exit.cause))
  }
  const manager = Scope.makeUnsafe()
  const informers = run(
    Layer.buildWithScope(layerSharedInformers, manager).pipe(
      Effect.flatMap((context) =>
        Effect.provideContext(
          Effect.map(Informers, (shape) => shape),
          context
        )
      ),
      Random.withSeed(seed)
    )
  )
  /** What a controller asks for, in a scope of its own. */
  const asked = <A>(ask: (informers: InformersShape) => Effect.Effect<A, never, Cluster | Timers | Scope.Scope>) => {
    const scope = Scope.makeUnsafe()
    const got = run(Effect.provideService(ask(informers), Scope.Scope, scope))
    return { got, leave: () => void run(Scope.close(scope, Exit.void)) }
  }
  const after = (ms: number) => time.runUntil(time.timers.now() + ms)
  const count = (verb: string) => server.requests.filter((request) => request.verb === verb).length
  const stop = () => void run(Scope.close(manager, Exit.void))
  return { after, asked, count, server, stop, time }
}

const makeRecordingHandler = () => {
  const seen: Array<string> = []
  const handler = {
    onAdd: (object: Node) => void seen.push(`+${object.metadata.name}`),
    onUpdate: (_: Node, object: Node) => void seen.push(`~${object.metadata.name}`),
    onDelete: (object: Node) => void seen.push(`-${object.metadata.name}`)
  }
  const feed: Feed = {
    replace: (objects) => void seen.push(`=${objects.map(keyOf).join(",")}`),
    apply: ({ object, type }) => {
      if (type !== "ERROR" && type !== "BOOKMARK") seen.push(`${type} ${object.metadata.name}`)
    }
  }
  return { handler, feed, taken: () => seen.splice(0) }
}

describe("shared informers", () => {
  it("list and watch a kind once, and replay the cache to late handlers", () => {
    const { after, asked, count, server } = setUp()
    const [first, second] = [makeRecordingHandler(), makeRecordingHandler()]
    server.put("Node", node("a"))
    asked(({ get }) => get("Node", { handlers: [first.handler] }))
    after(10)
    const { got } = asked(({ get }) => get("Node", { handlers: [second.handler] }))
    assert.isTrue(got.hasSynced())
    server.put("Node", node("b"))
    after(10)
    assert.deepStrictEqual(
      [first.taken(), second.taken()],
      [
        ["+a", "+b"],
        ["+a", "+b"]
      ]
    )
    assert.deepStrictEqual([count("list"), count("watch")], [1, 1])
  })

  it("index cached objects, under names that are each controller's own, until they are deleted", () => {
    const { after, asked, server } = setUp()
    server.put("Node", node("a", "x"))
    const one = asked(({ get }) => get("Node", { indexes: { by: zoneOf } }))
    after(10)
    const other = asked(({ get }) => get("Node", { indexes: { by: ({ metadata }) => metadata.name, zone: zoneOf } }))
    const names = (objects: ReadonlyArray<Node>) => objects.map(({ metadata }) => metadata.name)
    assert.deepStrictEqual(names(one.got.byIndex("by", "x")), ["a"])
    assert.deepStrictEqual(names(other.got.byIndex("by", "a")), ["a"])
    assert.deepStrictEqual(names(other.got.byIndex("zone", "x")), ["a"])
    other.leave()
    server.put("Node", node("b", "x"))
    after(10)
    assert.deepStrictEqual(names(one.got.byIndex("by", "x")), ["a", "b"])
    assert.throws(() => other.got.byIndex("by", "a"))
  })

  it("remove a handler with its controller, and end with the manager", () => {
    const { after, asked, count, server, stop } = setUp()
    const [stays, goes] = [makeRecordingHandler(), makeRecordingHandler()]
    asked(({ get }) => get("Node", { handlers: [stays.handler] }))
    const { leave } = asked(({ get }) => get("Node", { handlers: [goes.handler] }))
    after(10)
    leave()
    server.put("Node", node("a"))
    after(10)
    assert.deepStrictEqual([stays.taken(), goes.taken()], [["+a"], []])
    stop()
    server.put("Node", node("b"))
    server.closeWatches()
    after(60_000)
    assert.deepStrictEqual(stays.taken(), [])
    assert.strictEqual(count("watch"), 1)
  })

  it("feed subscribers that keep no objects over the same watch, and list again only uncached kinds", () => {
    const { after, asked, count, server } = setUp()
    const [graph, cache, late] = [makeRecordingHandler(), makeRecordingHandler(), makeRecordingHandler()]
    server.put("Node", node("a"))
    asked(({ follow }) => follow("Node", graph.feed, () => 0.5))
    after(10)
    assert.deepStrictEqual(graph.taken(), ["=a"])
    // The first cache of a kind that is followed already.
    asked(({ get }) => get("Node", { handlers: [cache.handler] }))
    after(10)
    assert.deepStrictEqual([graph.taken(), cache.taken()], [["=a"], ["+a"]])
    asked(({ follow }) => follow("Node", late.feed, () => 0.5))
    assert.deepStrictEqual(late.taken(), ["=a"])
    server.put("Node", node("b"))
    server.remove("Node", "a")
    after(10)
    assert.deepStrictEqual(graph.taken(), ["ADDED b", "DELETED a"])
    assert.deepStrictEqual(late.taken(), ["ADDED b", "DELETED a"])
    assert.deepStrictEqual(cache.taken(), ["+b", "-a"])
    assert.deepStrictEqual([count("list"), count("watch")], [2, 2])
  })

  it("are separate for each selector", () => {
    const { after, asked, count, server } = setUp()
    server.put("Node", node("a"))
    server.put("Node", node("b"))
    const all = asked(({ get }) => get("Node"))
    const some = asked(({ get }) => get("Node", { fieldSelector: "metadata.name=b" }))
    after(10)
    assert.deepStrictEqual([all.got.size(), some.got.size()], [2, 1])
    assert.strictEqual(count("watch"), 2)
  })

  it("draw their jitter by kind, so that informers requested earlier change nothing", () => {
    const watchOf = (...before: ReadonlyArray<"Pod" | "Lease">) => {
      const { after, asked, server } = setUp()
      asked(({ get }) => get("Namespace"))
      for (const kind of before) asked(({ get }) => get(kind))
      asked(({ get }) => get("Node"))
      after(10)
      return server.requests.find(({ kind, verb }) => kind === "Node" && verb === "watch")
    }
    assert.isDefined(watchOf())
    assert.deepStrictEqual(watchOf("Pod", "Lease"), watchOf())
  })
})
