import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Node } from "@rollcall/api"
import { makeVirtualTime, rngOf } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Cluster, Informer, type InformerHandler, keyOf, makeInformer } from "../src/index.ts"
import { FakeServer } from "../src/testing/index.ts"

const START = 1_767_225_600_000

const node = (name: string, zone: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { zone } }
})

const byName = (objects: ReadonlyArray<KubeObject>) =>
  objects.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))

/** Follows the handler's calls and fails on one that does not fit those before it. */
const makeMirror = () => {
  const seen = new Map<string, Node>()
  const handler: InformerHandler<Node> = {
    onAdd: (object) => {
      assert.isFalse(seen.has(keyOf(object)))
      seen.set(keyOf(object), object)
    },
    onUpdate: (old, object) => {
      assert.strictEqual(seen.get(keyOf(object)), old)
      seen.set(keyOf(object), object)
    },
    onDelete: (last) => assert.isTrue(seen.delete(keyOf(last)))
  }
  return { seen, handler }
}

const setUp = () => {
  const time = makeVirtualTime(START)
  const server = new FakeServer(time.timers)
  const verbs = () => server.requests.map(({ verb }) => verb)
  const listens = (handlers: ReadonlyArray<InformerHandler<Node>> = [], selection = {}) =>
    makeInformer(server.connection, time.timers, rngOf(1), "Node", {
      ...selection,
      handlers,
      indexes: { zone: (object) => object.metadata.labels?.zone }
    })
  return { time, server, verbs, listens }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ op: fc.constant("put" as const), n: fc.nat(5), zone: fc.constantFrom("a", "b") })
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("remove" as const), n: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("cut" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("heal" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("close" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("forget" as const) }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("wait" as const), ms: fc.nat(5000) }) }
)

describe("Informer", () => {
  it("has the server's objects, whatever fails on the way", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, onlyZoneA) => {
        const { listens, server, time } = setUp()
        const { handler, seen } = makeMirror()
        const informer = listens([handler], onlyZoneA ? { labelSelector: "zone=a" } : {})
        informer.start()
        let now = START
        for (const event of steps) {
          if (event.op === "put") server.put("Node", node(`n${event.n}`, event.zone))
          else if (event.op === "remove") server.remove("Node", `n${event.n}`)
          else if (event.op === "cut") server.cut()
          else if (event.op === "heal") server.heal()
          else if (event.op === "close") server.closeWatches()
          else if (event.op === "forget") server.forget()
          else {
            now += event.ms
            time.runUntil(now)
          }
        }
        server.heal()
        time.runUntil(now + 120_000)
        const expected = server.all("Node").filter((object) => !onlyZoneA || object.metadata.labels?.zone === "a")
        assert.deepStrictEqual(byName(informer.list()), expected)
        assert.deepStrictEqual(byName([...seen.values()]), expected)
        assert.strictEqual(informer.size(), expected.length)
        for (const zone of ["a", "b"]) {
          const inZone = expected.filter((object) => object.metadata.labels?.zone === zone)
          assert.deepStrictEqual(byName(informer.byIndex("zone", zone)), inZone)
        }
        for (const object of expected) assert.strictEqual(informer.get(keyOf(object)), object)
      }),
      { numRuns: 300 }
    )
  })

  it("resumes its watch when the server closes it, and lists again when the revision is compacted", () => {
    const { listens, server, time, verbs } = setUp()
    const { handler, seen } = makeMirror()
    listens([handler]).start()
    time.runUntil(START + 5000)
    server.closeWatches()
    time.runUntil(START + 5001)
    server.put("Node", node("n1", "a"))
    time.runUntil(START + 5002)
    assert.deepStrictEqual(verbs(), ["list", "watch", "watch"])
    assert.isTrue(seen.has("n1"))

    time.runUntil(START + 7000)
    server.cut()
    server.remove("Node", "n1")
    server.forget()
    server.heal()
    time.runUntil(START + 7001)
    assert.deepStrictEqual(verbs().slice(3), ["watch", "list", "watch"])
    assert.strictEqual(seen.size, 0)
  })

  it("retries after 0.8 s doubling to 30 s, times 1 to 2", () => {
    const { listens, server, time } = setUp()
    const at: Array<number> = []
    server.cut()
    const informer = makeInformer(server.connection, time.timers, rngOf(7), "Node", {
      onError: () => at.push(time.timers.now())
    })
    informer.start()
    time.runUntil(START + 400_000)
    const bases = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]
    for (const [index, base] of bases.entries()) {
      const gap = (at[index + 1] ?? 0) - (at[index] ?? 0)
      assert.isTrue(gap >= base && gap < 2 * base, `gap ${index} of ${gap} ms`)
    }
    const other = listens()
    other.start()
    other.stop()
    informer.stop()
    const before = server.requests.length
    time.runUntil(START + 500_000)
    assert.strictEqual(server.requests.length, before)
  })

  it("distinguishes initial objects from added ones, replays to late handlers, and calls none after its stop", () => {
    const { listens, server, time } = setUp()
    server.put("Node", node("n1", "a"))
    const heard: Array<string> = []
    const handler = (who: string): InformerHandler<Node> => ({
      onAdd: (object, first) => heard.push(`${who} add ${object.metadata.name}${first ? " first" : ""}`),
      onUpdate: (_, object) => heard.push(`${who} update ${object.metadata.name}`),
      onDelete: (object) => heard.push(`${who} delete ${object.metadata.name} ${object.metadata.resourceVersion}`)
    })
    const informer = listens([handler("one")])
    assert.isFalse(informer.hasSynced())
    informer.start()
    assert.isTrue(informer.hasSynced())
    server.put("Node", node("n2", "a"))
    time.runUntil(START + 1)
    const off = informer.addHandler(handler("two"))
    server.put("Node", node("n1", "b"))
    time.runUntil(START + 2)
    off()
    server.remove("Node", "n1")
    time.runUntil(START + 3)
    assert.deepStrictEqual(heard, [
      "one add n1 first",
      "one add n2",
      "two add n1 first",
      "two add n2 first",
      "one update n1",
      "two update n1",
      "one delete n1 4"
    ])
    assert.strictEqual(informer.lastResourceVersion(), "4")
    server.put("Node", node("n3", "b"))
    informer.stop()
    time.runUntil(START + 4)
    assert.strictEqual(heard.length, 7)
  })

  it("does not report an update when a relist finds the same revision", () => {
    const { listens, server, time, verbs } = setUp()
    server.put("Node", node("n1", "a"))
    let updates = 0
    listens([{ onUpdate: () => updates++ }]).start()
    time.runUntil(START + 2000)
    server.put("Node", node("n2", "a"))
    server.cut()
    server.forget()
    server.heal()
    time.runUntil(START + 3000)
    assert.deepStrictEqual(verbs(), ["list", "watch", "watch", "list", "watch"])
    assert.strictEqual(updates, 0)
  })

  it("waits for its first list as an Effect, and ends with its scope", () => {
    const { server, time } = setUp()
    server.cut()
    server.put("Node", node("n1", "a"))
    const program = Effect.gen(function* () {
      const informer = yield* Informer.make("Node")
      assert.isFalse(informer.hasSynced())
      yield* informer.synced
      return informer.list().length
    }).pipe(Effect.scoped, Effect.provide(Cluster.layerConnection(server.connection)))
    time.timers.after(3000, () => server.heal())
    const fiber = time.fork(program)
    time.runUntil(START + 20_000)
    const exit = fiber.pollUnsafe()
    assert.deepStrictEqual(exit?._tag === "Success" ? exit.value : exit, 1)
    const after = server.requests.length
    server.put("Node", node("n2", "a"))
    time.runUntil(START + 60_000)
    assert.strictEqual(server.requests.length, after)
  })
})
