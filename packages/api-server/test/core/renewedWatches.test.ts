import { type Connection, Reflector } from "@rollcall/cluster"
import { rngOf } from "@rollcall/time"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { makeTestServer } from "./testServer.ts"

const step = fc.oneof(
  fc.record({ act: fc.constant("wait"), seconds: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ act: fc.constantFrom("label", "other", "compact", "race") })
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** Lets a reflector follow one Node of two. */
const follow = (steps: ReadonlyArray<Step>, renewalColumns: boolean) => {
  const server = makeTestServer({ renewalColumns })
  const nodes = ["a", "b"]
  for (const name of nodes) server.create("Node", { metadata: { name } })
  const seen: Array<unknown> = []
  let watches = 0
  let drawn = 0
  const rng = rngOf(7)
  const { timers } = server.time
  const connection: Connection = {
    send: (request, reply) => {
      seen.push([timers.now(), request.verb])
      return server.connection.send(request, reply)
    },
    watch: (request, sink) => {
      watches++
      return server.connection.watch(request, sink)
    }
  }
  const target = {
    replace: (objects: ReadonlyArray<unknown>) => void seen.push([timers.now(), objects]),
    apply: (event: unknown) => void seen.push([timers.now(), event]),
    failed: (error: unknown) => void seen.push([timers.now(), String(error)])
  }
  const random = () => {
    drawn++
    return rng()
  }
  const reflector = new Reflector(connection, timers, "Node", { fieldSelector: "metadata.name=a" }, target, random)
  reflector.start()
  server.settle()
  const label = (name: string) => {
    const body = { metadata: { labels: { step: String(server.server.revision()) } } }
    server.ask({ verb: "patch", kind: "Node", name, patchType: "merge", body })
  }
  const compact = () => server.time.run(server.server.compact)
  const acts = {
    label: () => nodes.forEach(label),
    other: () =>
      server.create("ConfigMap", { metadata: { namespace: "default", name: `c-${server.server.revision()}` } }),
    compact,
    // What the watch has seen is compacted before its time is over.
    race: () => {
      for (let second = 0; second < 400; second++) {
        server.advance(1000)
        label("b")
        compact()
      }
    }
  }
  for (const one of steps) {
    if ("seconds" in one) server.advance(one.seconds * 1000)
    else acts[one.act]()
    seen.push(reflector.lastRevision)
  }
  return { seen, drawn, watches }
}

describe("a watch that is renewed in place", () => {
  it("shows what a new watch would, and draws the same timeouts", { timeout: 60_000 }, () => {
    const watches = { renewed: 0, opened: 0 }
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 20 }), (steps) => {
        const renewed = follow(steps, true)
        const opened = follow(steps, false)
        assert.deepStrictEqual([renewed.seen, renewed.drawn], [opened.seen, opened.drawn])
        watches.renewed += renewed.watches
        watches.opened += opened.watches
      }),
      { numRuns: 40 }
    )
    assert.isBelow(watches.renewed, watches.opened)
  })
})
