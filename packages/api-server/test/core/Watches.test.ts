import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { isGone, type WatchEvent } from "@rollcall/cluster"
import * as fc from "fast-check"
import { eventLines, lease, makeTestServer, node, pod, type TestServer } from "./testServer.ts"

const patch = (testServer: TestServer, kind: "Node" | "Pod", name: string, body: unknown, more: object = {}) =>
  testServer.ask({ verb: "patch", kind, name, namespace: "default", patchType: "merge", body, ...more }) as KubeObject

const label = (value: string | null) => ({ metadata: { labels: { zone: value } } })

describe("watch", () => {
  it("delivers changes after a revision, in batches, the same value to all watchers", () => {
    const testServer = makeTestServer()
    const { resourceVersion = "" } = testServer.create("Node", node("old")).metadata
    const one = testServer.watch("Node", { resourceVersion })
    const other = testServer.watch("Node", { resourceVersion })
    testServer.create("Node", node("a"))
    patch(testServer, "Node", "a", label("x"))
    testServer.ask({ verb: "delete", kind: "Node", name: "old" })
    assert.deepStrictEqual(one.events, [])
    testServer.settle()
    assert.deepStrictEqual(eventLines(one), ["ADDED a", "MODIFIED a", "DELETED old"])
    assert.deepStrictEqual(one.batches, [3])
    for (const [index, event] of one.events.entries()) assert.strictEqual(event, other.events[index])
    one.cancel()
    testServer.create("Node", node("b"))
    testServer.settle()
    assert.deepStrictEqual([one.events.length, other.events.length], [3, 4])
  })

  it("starts with the existing objects, in key order, when no revision is given", () => {
    const testServer = makeTestServer()
    for (const name of ["c", "a", "b"]) testServer.create("Node", node(name))
    for (const options of [{}, { resourceVersion: "0" }]) {
      const log = testServer.watch("Node", options)
      testServer.settle()
      assert.deepStrictEqual(eventLines(log), ["ADDED a", "ADDED b", "ADDED c"])
      assert.deepStrictEqual(log.batches, [3])
    }
  })

  it("marks the end of initial events when they are requested", () => {
    const testServer = makeTestServer()
    testServer.create("Node", node("a"))
    const log = testServer.watch("Node", { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersion: "1" })
    testServer.settle()
    assert.deepStrictEqual(eventLines(log), ["ADDED a", "BOOKMARK undefined"])
    assert.deepStrictEqual((log.events[1] as WatchEvent).object, {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        resourceVersion: String(testServer.server.revision()),
        annotations: { "k8s.io/initial-events-end": "true" }
      }
    })
    const later = testServer.watch("Node", { sendInitialEvents: false })
    testServer.settle()
    assert.deepStrictEqual(later.events, [])
  })

  it("waits for a future revision without an event", () => {
    const testServer = makeTestServer()
    const log = testServer.watch("Node", { resourceVersion: String(testServer.server.revision() + 2) })
    testServer.settle()
    for (const name of ["a", "b", "c"]) testServer.create("Node", node(name))
    testServer.settle()
    assert.deepStrictEqual(eventLines(log), ["ADDED c"])
  })

  it("delivers a change of a selected label as an addition or a deletion", () => {
    const testServer = makeTestServer()
    const log = testServer.watch("Node", { labelSelector: "zone=a" })
    testServer.settle()
    testServer.create("Node", node("n"))
    patch(testServer, "Node", "n", label("a"))
    patch(testServer, "Node", "n", { metadata: { labels: { other: "1" } } })
    patch(testServer, "Node", "n", label("b"))
    testServer.ask({ verb: "delete", kind: "Node", name: "n" })
    testServer.settle()
    assert.deepStrictEqual(eventLines(log), ["ADDED n", "MODIFIED n", "DELETED n"])
    // It goes with the labels that it had, at the revision at which it lost them.
    const gone = (log.events[2] as { readonly object: KubeObject }).object.metadata
    assert.deepStrictEqual([gone.labels?.zone, gone.resourceVersion], ["a", String(testServer.server.revision() - 1)])
  })

  it("finds by index the watchers of a node's pods and of one name", () => {
    const testServer = makeTestServer()
    const onA = testServer.watch("Pod", { fieldSelector: "spec.nodeName=a" })
    const onB = testServer.watch("Pod", { fieldSelector: "spec.nodeName=b", namespace: "default" })
    const elsewhere = testServer.watch("Pod", { fieldSelector: "spec.nodeName=b", namespace: "kube-system" })
    const unbound = testServer.watch("Pod", { fieldSelector: "spec.nodeName=" })
    const named = testServer.watch("Pod", { fieldSelector: "metadata.name=p2" })
    testServer.settle()
    testServer.create("Pod", pod("p1", { nodeName: "a" }))
    testServer.create("Pod", pod("p2"))
    const binding = { metadata: { name: "p2" }, target: { kind: "Node", name: "b" } }
    testServer.ask({
      verb: "create",
      kind: "Pod",
      namespace: "default",
      name: "p2",
      subresource: "binding",
      object: binding
    })
    patch(testServer, "Pod", "p2", { status: { phase: "Running" } }, { subresource: "status" })
    testServer.ask({
      verb: "delete",
      kind: "Pod",
      namespace: "default",
      name: "p2",
      options: { gracePeriodSeconds: 0 }
    })
    testServer.settle()
    assert.deepStrictEqual(eventLines(onA), ["ADDED p1"])
    assert.deepStrictEqual(eventLines(onB), ["ADDED p2", "MODIFIED p2", "MODIFIED p2", "DELETED p2"])
    assert.deepStrictEqual(eventLines(elsewhere), [])
    assert.deepStrictEqual(eventLines(unbound), ["ADDED p2", "DELETED p2"])
    const ofNamed = ["ADDED p2", "MODIFIED p2", "MODIFIED p2", "MODIFIED p2", "DELETED p2"]
    assert.deepStrictEqual(eventLines(named), ofNamed)
  })

  it("ends with Expired when its start is compacted", () => {
    const testServer = makeTestServer()
    const { resourceVersion = "" } = testServer.create("Node", node("a")).metadata
    testServer.create("Node", node("b"))
    testServer.time.run(testServer.server.compact)
    const log = testServer.watch("Node", { resourceVersion })
    assert.deepStrictEqual(log.ends, [])
    testServer.settle()
    const error = log.ends[0] as Parameters<typeof isGone>[0]
    assert.isTrue(isGone(error))
    assert.strictEqual(error.message, `too old resource version: ${resourceVersion} (${testServer.server.revision()})`)
    assert.deepStrictEqual(log.events, [])
  })

  it("limits the history of each kind", () => {
    const testServer = makeTestServer()
    let held = testServer.create("Lease", lease("l")) as KubeObject
    const start = held.metadata.resourceVersion ?? ""
    const renew = (index: number) => {
      const object = { ...held, spec: { renewTime: `2026-01-01T00:00:00.${String(index).padStart(6, "0")}Z` } }
      held = testServer.ask({
        verb: "update",
        kind: "Lease",
        namespace: "kube-node-lease",
        name: "l",
        object
      }) as KubeObject
    }
    for (let index = 1; index <= 1024; index++) renew(index)
    const enough = testServer.watch("Lease", { resourceVersion: start })
    testServer.settle()
    assert.deepStrictEqual([enough.events.length, enough.ends.length], [1024, 0])
    renew(1025)
    const tooFar = testServer.watch("Lease", { resourceVersion: start })
    testServer.settle()
    assert.deepStrictEqual([tooFar.events.length, tooFar.ends.length], [0, 1])
    // A watch that is there loses nothing, though more comes at once than history is kept.
    for (let index = 2000; index < 6000; index++) renew(index)
    testServer.settle()
    assert.strictEqual(enough.events.length, 1024 + 1 + 4000)
  })

  it("sends a young watch a last bookmark only if its kind has changed", () => {
    const testServer = makeTestServer()
    const young = { allowWatchBookmarks: true, timeoutSeconds: 3 }
    const resting = testServer.watch("Node", young)
    const changed = testServer.watch("Lease", young)
    const old = testServer.watch("Node", { ...young, timeoutSeconds: 8 })
    testServer.create("Lease", lease("l"))
    testServer.advance(9_000)
    assert.deepStrictEqual(eventLines(resting), [])
    assert.deepStrictEqual(eventLines(changed), ["ADDED l", "BOOKMARK undefined"])
    assert.deepStrictEqual(eventLines(old), ["BOOKMARK undefined"])
  })

  it("sends bookmarks each minute and before it closes, to those that request them, once anything has changed", () => {
    const testServer = makeTestServer()
    const other = { fieldSelector: "metadata.name=none" }
    const marked = testServer.watch("Node", { ...other, allowWatchBookmarks: true, timeoutSeconds: 210 })
    const plain = testServer.watch("Node", other)
    testServer.advance(61_000)
    assert.deepStrictEqual(eventLines(marked), [])
    testServer.create("Pod", pod("p"))
    testServer.advance(60_000)
    testServer.create("Node", node("a"))
    testServer.advance(87_000)
    assert.deepStrictEqual(eventLines(marked), ["BOOKMARK undefined", "BOOKMARK undefined", "BOOKMARK undefined"])
    const revisions = marked.events.map((event) => (event.object as KubeObject).metadata.resourceVersion)
    assert.strictEqual(revisions[2], String(testServer.server.revision()))
    assert.notStrictEqual(revisions[0], revisions[2])
    assert.deepStrictEqual(marked.ends, [])
    testServer.advance(2000)
    assert.deepStrictEqual(marked.ends, [undefined])
    assert.deepStrictEqual([plain.events, plain.ends], [[], []])
  })

  it("refuses invalid selectors, and unknown kinds", () => {
    const testServer = makeTestServer()
    const log = testServer.watch("Node", { fieldSelector: "spec.foo=1" })
    const bad = testServer.watch("Node", { resourceVersion: "x" })
    const cancelled = testServer.watch("Node", { fieldSelector: "spec.foo=1" })
    cancelled.cancel()
    testServer.settle()
    assert.strictEqual((log.ends[0] as Error).message, "field label not supported: spec.foo")
    assert.strictEqual(bad.ends.length, 1)
    assert.deepStrictEqual(cancelled.ends, [])
  })

  it("lets a sink write, and end watches, during a delivery", () => {
    const testServer = makeTestServer()
    const second = { cancel: () => {} }
    const seen: Array<string> = []
    testServer.connection.watch(
      { verb: "watch", kind: "Node", resourceVersion: String(testServer.server.revision()) },
      {
        events: (batch) => {
          seen.push(...batch.map((event) => `${event.type} ${(event.object as KubeObject).metadata.name}`))
          second.cancel()
          if (seen.length === 1) testServer.create("Node", node("echo"))
        },
        end: () => {}
      }
    )
    const other = testServer.watch("Node", { resourceVersion: String(testServer.server.revision()) })
    second.cancel = other.cancel
    testServer.settle()
    testServer.create("Node", node("a"))
    testServer.settle()
    assert.deepStrictEqual(seen, ["ADDED a", "ADDED echo"])
    assert.deepStrictEqual(other.events, [])
  })
})

describe("a watcher that applies its events", () => {
  type Step = { readonly name: number; readonly op: "create" | "delete" | "relabel" | "bind" | "watch" | "settle" }
  const step: fc.Arbitrary<Step> = fc.record({
    name: fc.nat(4),
    op: fc.constantFrom("create", "create", "relabel", "relabel", "bind", "delete", "watch", "settle")
  })
  const selections = [
    {},
    { labelSelector: "zone=1" },
    { fieldSelector: "spec.nodeName=n1" },
    { fieldSelector: "spec.nodeName=" },
    { fieldSelector: "metadata.name=p1" },
    { fieldSelector: "spec.nodeName!=n1", labelSelector: "zone notin (2)" },
    { namespace: "default", labelSelector: "zone" }
  ]

  const act = (testServer: TestServer, { name, op }: Step, turn: number) => {
    const address = { kind: "Pod", namespace: "default", name: `p${name}` } as const
    const ignore = () => {}
    const zone = String(turn % 3)
    if (op === "create") {
      const { name: _, ...collection } = address
      const object = pod(`p${name}`, turn % 2 === 0 ? {} : { nodeName: `n${turn % 3}` }, { labels: { zone } })
      testServer.connection.send({ verb: "create", ...collection, object }, ignore)
    } else if (op === "relabel") {
      const body = { metadata: { labels: { zone: turn % 4 === 0 ? null : zone } } }
      testServer.connection.send({ verb: "patch", ...address, patchType: "merge", body }, ignore)
    } else if (op === "bind") {
      const object = { metadata: { name: `p${name}` }, target: { kind: "Node", name: `n${turn % 3}` } }
      testServer.connection.send({ verb: "create", ...address, subresource: "binding", object }, ignore)
    } else if (op === "delete") {
      testServer.connection.send({ verb: "delete", ...address, options: { gracePeriodSeconds: 0 } }, ignore)
    }
  }

  /** A client's copy of a selection. Checks that events make sense as they come: an informer relies on that. */
  const follow = (testServer: TestServer, selection: object) => {
    const listed = testServer.list("Pod", selection)
    const copy = new Map(listed.items.map((item) => [item.metadata.name, item as KubeObject]))
    let revision = Number(listed.metadata.resourceVersion)
    testServer.connection.watch(
      { ...selection, verb: "watch", kind: "Pod", resourceVersion: String(revision) },
      {
        events: (batch) => {
          for (const event of batch) {
            const object = event.object as KubeObject
            const at = Number(object.metadata.resourceVersion)
            assert.isAbove(at, revision)
            revision = at
            assert.strictEqual(
              event.type === "ADDED",
              !copy.has(object.metadata.name),
              `${event.type} of ${object.metadata.name}`
            )
            if (event.type === "DELETED") copy.delete(object.metadata.name)
            else copy.set(object.metadata.name, object)
          }
        },
        end: (error) => assert.fail(`the watch ended: ${error?.message}`)
      }
    )
    return { selection, copy }
  }

  it("has the objects of a list, whenever it started and whatever it selects", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const testServer = makeTestServer()
        const followers = selections.map((selection) => follow(testServer, selection))
        const check = () => {
          testServer.settle()
          for (const { copy, selection } of followers) {
            const expected = testServer.list("Pod", selection).items
            const held = [...copy.values()].sort((left, right) =>
              (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1
            )
            assert.deepStrictEqual(held, [...expected])
          }
        }
        for (const [turn, one] of steps.entries()) {
          if (one.op === "watch") followers.push(...selections.map((selection) => follow(testServer, selection)))
          else if (one.op === "settle") check()
          else act(testServer, one, turn)
        }
        check()
      }),
      { numRuns: 60 }
    )
  })
})
