import { assert, describe, it } from "@effect/vitest"
import type { Node } from "@rollcall/api"
import { makeVirtualTime, repeatPasses, rngOf, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  apiErrorOf,
  type Connection,
  forkController,
  makeInformer,
  Reflector,
  runWorkers,
  WorkQueue
} from "../src/index.ts"
import { FakeServer } from "../src/testing/index.ts"

const START = 1_767_225_600_000

const node = (name: string, labels: Readonly<Record<string, string>> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels }
})

/** Starts a server in virtual time; records handled errors as [source, message, fields]. */
const setUp = () => {
  const errors: Array<readonly [string, string, unknown]> = []
  const time = makeVirtualTime(START, {
    handleError: (source, error, fields) => errors.push([source, (error as Error).message, fields])
  })
  const sources = () => errors.map(([source]) => source)
  const after = (ms: number) => time.runUntil(time.timers.now() + ms)
  return { time, timers: time.timers, errors, sources, after, server: new FakeServer(time.timers) }
}

describe("a refusal of the API", () => {
  it("has its message, and within a process no stack", () => {
    const error = apiErrorOf({ apiVersion: "v1", kind: "Status", metadata: {}, message: 'nodes "a" not found' })
    assert.strictEqual(error.message, 'nodes "a" not found')
    assert.notInclude(error.stack ?? "", " at ")
    assert.include(new Error("later").stack ?? "", " at ")
  })
})

const fail = (what: string): never => {
  throw new Error(what)
}

describe("an informer", () => {
  it("continues when a handler throws, in each of its calls, and so do the other handlers", () => {
    const { after, errors, server, time, timers } = setUp()
    const seen: Array<string> = []
    const informer = makeInformer(server.connection, timers, rngOf(1), "Node", {
      handlers: [
        { onAdd: () => fail("add"), onUpdate: () => fail("update"), onDelete: () => fail("delete") },
        {
          onAdd: ({ metadata }) => seen.push(`+${metadata.name}`),
          onUpdate: (_, { metadata }) => seen.push(`~${metadata.name}`),
          onDelete: ({ metadata }) => seen.push(`-${metadata.name}`)
        }
      ]
    })
    server.put("Node", node("a"))
    informer.start()
    time.runUntil(START + 1000)
    assert.isTrue(informer.hasSynced())
    server.put("Node", node("b"))
    server.put("Node", node("a", { changed: "yes" }))
    server.remove("Node", "b")
    after(1000)
    assert.deepStrictEqual(seen, ["+a", "+b", "~a", "-b"])
    const told = ["add", "add", "update", "delete"]
    assert.deepStrictEqual(
      errors.map(([source, message]) => [source, message]),
      told.map((message) => ["informer handler", message])
    )
    assert.deepStrictEqual(errors[0]?.[2], { kind: "Node", object: "a" })
    informer.addHandler({ onAdd: () => fail("late") })
    assert.strictEqual(errors.at(-1)?.[1], "late")
    assert.strictEqual(informer.size(), 1)
  })

  it("has an object that an index cannot read under no key, reports it once, and finds it again when it is fixed", () => {
    const { after, errors, server, time, timers } = setUp()
    const informer = makeInformer(server.connection, timers, rngOf(1), "Node", {
      indexes: { zone: ({ metadata }) => metadata.labels?.zone ?? fail(`no zone: ${metadata.name}`) }
    })
    server.put("Node", node("a", { zone: "z" }))
    server.put("Node", node("odd"))
    informer.start()
    time.runUntil(START + 1000)
    const names = (zone: string) => informer.byIndex("zone", zone).map(({ metadata }) => metadata.name)
    assert.deepStrictEqual(names("z"), ["a"])
    assert.isDefined(informer.find("odd"))
    server.put("Node", node("odd", { zone: "z" }))
    after(1000)
    assert.deepStrictEqual(names("z"), ["a", "odd"])
    server.put("Node", node("odd", { zone: "y" }))
    after(1000)
    assert.deepStrictEqual([names("z"), names("y")], [["a"], ["odd"]])
    assert.deepStrictEqual(
      errors.map(([source, message]) => [source, message]),
      [["informer index", "no zone: odd"]]
    )
  })
})

describe("a reflector", () => {
  it("continues when its target throws, for a list, an event and an error", () => {
    const { after, server, sources, time, timers } = setUp()
    const seen: Array<string> = []
    const reflector = new Reflector(
      server.connection,
      timers,
      "Node",
      {},
      {
        replace: () => fail("replace"),
        apply: ({ object }) => {
          const { name } = object.metadata as Node["metadata"]
          if (name === "odd") fail("apply")
          seen.push(name ?? "")
        },
        failed: () => fail("failed")
      },
      rngOf(1)
    )
    server.put("Node", node("a"))
    reflector.start()
    time.runUntil(START + 1000)
    server.put("Node", node("odd"))
    server.put("Node", node("b"))
    after(1000)
    assert.deepStrictEqual(seen, ["b"])
    server.cut()
    server.heal()
    after(1000)
    server.put("Node", node("c"))
    after(60_000)
    assert.deepStrictEqual(seen, ["b", "c"])
    assert.deepStrictEqual([...new Set(sources())], ["reflector"])
  })

  it("treats a connection that throws as a failed one, and retries after a back-off", () => {
    const { errors, server, time, timers } = setUp()
    let faulty = true
    const connection: Connection = {
      send: (request, reply) => (faulty ? fail("cannot be encoded") : server.connection.send(request, reply)),
      watch: (request, sink) => (faulty ? fail("cannot be encoded") : server.connection.watch(request, sink))
    }
    const failures: Array<string> = []
    let tries = 0
    const target = {
      replace: () => {
        if (tries++ === 0) faulty = true
      },
      apply: () => {},
      failed: ({ message }: { readonly message: string }) => failures.push(message)
    }
    const reflector = new Reflector(connection, timers, "Node", {}, target, rngOf(1))
    reflector.start()
    time.runUntil(START + 100)
    assert.deepStrictEqual(failures, ["list: cannot be encoded"])
    faulty = false
    time.runUntil(START + 2000)
    // The list went well; its watch threw.
    assert.include(failures, "watch: cannot be encoded")
    faulty = false
    time.runUntil(START + 60_000)
    assert.isTrue(server.requests.some(({ verb }) => verb === "watch"))
    assert.deepStrictEqual(errors, [])
  })
})

describe("workers", () => {
  const faults: ReadonlyArray<readonly [string, () => Effect.Effect<void, Error>]> = [
    ["throws at once", () => fail("thrown")],
    ["dies", () => Effect.die(new Error("thrown"))],
    ["throws in a step", () => Effect.sync(() => fail("thrown"))],
    ["fails", () => Effect.fail(new Error("thrown"))]
  ]
  for (const [how, fault] of faults) {
    it(`put back at its rate an item whose handler ${how}, and continue with the others`, () => {
      const { errors, time, timers } = setUp()
      let retries = 0
      const queue = new WorkQueue<string>(timers, { retry: () => retries++ }, "tests")
      let faulty = true
      const handled: Array<string> = []
      const at: Array<number> = []
      const workers = time.fork(
        runWorkers(
          queue,
          2,
          (item) => {
            if (item !== "odd") return Effect.sync(() => void handled.push(item))
            at.push(timers.now() - START)
            return faulty ? fault() : Effect.sync(() => void handled.push(item))
          },
          () => Effect.void
        )
      )
      for (const item of ["odd", "a", "b", "c"]) queue.add(item)
      time.runUntil(START + 40)
      assert.deepStrictEqual(handled, ["a", "b", "c"])
      // 5 ms doubling.
      assert.deepStrictEqual(at, [0, 5, 15, 35])
      assert.strictEqual(retries, 4)
      const dies = how === "fails" ? 0 : 4
      assert.strictEqual(errors.length, dies)
      if (dies > 0) assert.deepStrictEqual(errors[0], ["work queue", "thrown", { queue: "tests", item: "odd" }])
      faulty = false
      queue.add("d")
      time.runUntil(START + 1000)
      assert.deepStrictEqual(handled, ["a", "b", "c", "d", "odd"])
      assert.strictEqual(queue.numRequeues("odd"), 0)
      queue.shutDown()
      time.runUntil(START + 1001)
      assert.isDefined(workers.pollUnsafe())
    })
  }

  it("outlive an onError that throws", () => {
    const { sources, time, timers } = setUp()
    const queue = new WorkQueue<string>(timers)
    const handled: Array<string> = []
    time.fork(
      runWorkers(
        queue,
        1,
        (item) => (item === "odd" ? Effect.fail("no") : Effect.sync(() => void handled.push(item))),
        () => fail("onError")
      )
    )
    queue.add("odd")
    queue.add("a")
    time.runUntil(START + 1)
    assert.deepStrictEqual(handled, ["a"])
    assert.deepStrictEqual(sources(), ["work queue"])
    assert.strictEqual(queue.delayedSize, 1)
  })

  it("end when they are interrupted", () => {
    const { errors, time, timers } = setUp()
    const queue = new WorkQueue<string>(timers)
    const workers = time.fork(runWorkers(queue, 2, () => Effect.never))
    queue.add("a")
    time.runUntil(START + 1)
    time.run(Fiber.interrupt(workers))
    assert.isDefined(workers.pollUnsafe())
    assert.deepStrictEqual(errors, [])
  })
})

describe("a periodic loop", () => {
  it("runs the next pass after one that throws", () => {
    const { sources, time, timers } = setUp()
    const at: Array<number> = []
    const pass = Effect.sync(() => {
      at.push(timers.now() - START)
      if (at.length === 2) fail("odd")
    })
    time.fork(repeatPasses(timers, "tests", pass, 5000))
    time.runUntil(START + 16_000)
    assert.deepStrictEqual(at, [0, 5000, 10_000, 15_000])
    assert.deepStrictEqual(sources(), ["tests"])
  })
})

describe("a controller", () => {
  it("that dies restarts after 1 s, 2 s, 4 s, with its resources released, and ends with its scope", () => {
    const { errors, time, timers } = setUp()
    const log: Array<readonly [string, number]> = []
    const note = (what: string) => Effect.sync(() => log.push([what, timers.now() - START]))
    const work = Effect.gen(function* () {
      yield* Effect.acquireRelease(note("start"), () => note("end"))
      yield* Effect.sleep(100)
      if (log.filter(([what]) => what === "start").length < 4) return yield* Effect.die(new Error("odd"))
      return yield* Effect.never
    })
    const fiber = time.fork(
      Effect.scoped(Effect.andThen(forkController("tests")(work), Effect.never)).pipe(
        Effect.provideService(Timers, timers)
      )
    )
    time.runUntil(START + 60_000)
    assert.deepStrictEqual(log, [
      ["start", 0],
      ["end", 100],
      ["start", 1100],
      ["end", 1200],
      ["start", 3200],
      ["end", 3300],
      ["start", 7300]
    ])
    assert.deepStrictEqual(errors[0], ["controller", "odd", { controller: "tests" }])
    assert.strictEqual(errors.length, 3)
    time.run(Fiber.interrupt(fiber))
    assert.deepStrictEqual(log.at(-1), ["end", 60_000])
    assert.strictEqual(errors.length, 3)
  })
})
