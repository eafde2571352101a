import { assert, describe, it } from "@effect/vitest"
import type { ConfigMap, ObjectMeta } from "@rollcall/api"
import * as fc from "fast-check"
import { OwnerGraph } from "../../src/garbage/OwnerGraph.ts"
import { configMap, ownerReferenceTo } from "./runWithCollector.ts"

const makeGraph = () => {
  const checked: Array<string> = []
  const orphaned: Array<string> = []
  const foreign: Array<string> = []
  const failures: Array<unknown> = []
  const graph = new OwnerGraph({
    check: (uid) => checked.push(uid),
    orphan: (uid) => orphaned.push(uid),
    ownerDeleted: () => undefined,
    foreignOwner: (item) => foreign.push(item.uid),
    failed: (_, __, error) => failures.push(error)
  })
  return { graph, checked, orphaned, foreign, failures }
}

const object = (uid: string, owners: ReadonlyArray<string> = [], more: ObjectMeta = {}): ConfigMap =>
  configMap(uid, {
    uid,
    ...(owners.length === 0
      ? {}
      : { ownerReferences: owners.map((owner) => ownerReferenceTo("ConfigMap", owner, owner)) }),
    ...more
  })

describe("OwnerGraph", () => {
  it("queues nothing while kinds are still being listed, then objects whose owner is missing", () => {
    const { checked, graph } = makeGraph()
    graph.observe("ConfigMap", object("child", ["owner"]))
    graph.observe("ConfigMap", object("lost", ["nobody"]))
    graph.observe("ConfigMap", object("owner"))
    assert.deepStrictEqual(checked, [])
    graph.allListed()
    assert.deepStrictEqual(checked, ["lost"])
  })

  it("takes what it can of a list with an object that cannot be read", () => {
    const { checked, failures, graph } = makeGraph()
    const odd = object("odd", [], { ownerReferences: 7 as never })
    graph.replace("ConfigMap", [object("first", ["nobody"]), odd, object("last", ["nobody"])])
    graph.allListed()
    assert.deepStrictEqual(checked, ["first", "last"])
    assert.lengthOf(failures, 1)
  })

  it("queues the same whether it has read the first list of pods before or not", () => {
    const uids = ["a", "b", "c", "d", "gone"]
    const meta = fc.record({
      uid: fc.constantFrom(...uids.slice(0, 4)),
      owners: fc.uniqueArray(fc.constantFrom("owner", "elsewhere", ...uids), { maxLength: 2 }),
      isTerminating: fc.boolean()
    })
    const pods = fc.uniqueArray(meta, { selector: ({ uid }) => uid, maxLength: 4 }).map((list) =>
      list.map(({ isTerminating, owners, uid }) => ({
        ...object(uid, owners, {
          namespace: "default",
          ...(isTerminating ? { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["orphan"] } : {})
        }),
        kind: "Pod"
      }))
    )
    const outcome = (
      first: typeof pods extends fc.Arbitrary<infer A> ? A : never,
      next: typeof first,
      reads: boolean
    ) => {
      const { graph, ...queued } = makeGraph()
      graph.replace("ConfigMap", [
        object("owner", [], { namespace: "default" }),
        object("elsewhere", [], { namespace: "other" })
      ])
      if (reads) graph.replace("Pod", [])
      graph.replace("Pod", first)
      const { size } = graph
      graph.allListed()
      const queues = () => Object.values(queued).map((each) => [...new Set(each)].sort())
      const atFirst = queues()
      graph.observe("ConfigMap", object("late", ["a", "owner"], { namespace: "default" }))
      for (const uid of ["gone", "owner"]) graph.forget(uid)
      graph.replace("Pod", next)
      return {
        atFirst,
        atLast: queues(),
        size,
        left: graph.size,
        dependents: uids.map((uid) => graph.dependentsOf(uid).map((item) => item.uid))
      }
    }
    fc.assert(
      fc.property(pods, pods, (first, next) =>
        assert.deepStrictEqual(outcome(first, next, false), outcome(first, next, true))
      )
    )
  })

  it("does the same in the same order whether it has read all listed pods or only those that change", () => {
    const uid = fc.nat(9).map((at) => `pod-${at}`)
    const owner = fc.constantFrom("owner", "other")
    const act = fc.constantFrom("status", "terminate", "delete", "reown", "config")
    const steps = fc.array(fc.record({ uid, owner, act }), { minLength: 1, maxLength: 12 })
    const pod = (name: string, of: string, more: ObjectMeta = {}) => ({
      ...object(name, [of], { namespace: "default", ...more }),
      kind: "Pod"
    })
    const ownerAt = (at: number) => (at % 3 === 0 ? "other" : "owner")
    const listed = Array.from({ length: 8 }, (_, at) => pod(`pod-${at}`, ownerAt(at)))
    const terminating = { deletionTimestamp: "2026-01-01T00:00:00Z" }
    const outcome = (
      taken: typeof steps extends fc.Arbitrary<infer A> ? A : never,
      readsAll: boolean,
      last: string
    ) => {
      const { graph, ...queued } = makeGraph()
      const owners = new Map(listed.map(({ metadata }, at) => [metadata.uid, ownerAt(at)]))
      graph.replace("ConfigMap", [object("owner"), object("other")])
      if (readsAll) graph.replace("Pod", [])
      graph.replace("Pod", listed)
      graph.allListed()
      // What comes before the first change of a pod may have another place among the dependents.
      graph.observe("Pod", pod("pod-0", "other", { resourceVersion: "2" }))
      for (const { act, owner, uid } of taken) {
        const known = owners.get(uid) ?? owner
        if (act === "delete") owners.delete(uid)
        else if (act !== "config") owners.set(uid, act === "reown" ? owner : known)
        if (act === "delete") graph.forgetObject("Pod", pod(uid, known))
        else if (act === "config") graph.observe("ConfigMap", object(`config-${uid}`, [owner]))
        else if (act === "terminate") graph.observe("Pod", pod(uid, known, terminating))
        else graph.observe("Pod", pod(uid, act === "reown" ? owner : known, { resourceVersion: "3" }))
      }
      graph.forget(last)
      const dependents = ["owner", "other"].map((each) => graph.dependentsOf(each).map((item) => item.uid))
      return { ...queued, dependents, size: graph.size }
    }
    fc.assert(
      fc.property(steps, owner, (taken, last) =>
        assert.deepStrictEqual(outcome(taken, false, last), outcome(taken, true, last))
      )
    )
  })

  it("follows an object of sixty thousand owners", { timeout: 20_000 }, () => {
    const { graph } = makeGraph()
    const owners = (from: number) => Array.from({ length: 60_000 }, (_, index) => `owner-${from + index}`)
    graph.observe("ConfigMap", object("child", owners(0)))
    graph.observe("ConfigMap", object("child", owners(30_000)))
    assert.deepStrictEqual(graph.dependentsOf("owner-29999"), [])
    assert.strictEqual(graph.dependentsOf("owner-30000").length, 1)
    assert.strictEqual(graph.dependentsOf("owner-89999").length, 1)
  })

  it("queues nothing when an object changes in other ways, as leases do a million times", () => {
    const { checked, graph } = makeGraph()
    graph.allListed()
    graph.observe("ConfigMap", object("lost", ["nobody"]))
    const before = graph.get("lost")
    graph.observe("ConfigMap", object("lost", ["nobody"], { resourceVersion: "9", labels: { a: "b" } }))
    assert.strictEqual(graph.get("lost"), before)
    assert.deepStrictEqual(checked, ["lost"])
  })

  it("queues the dependents of deleted objects, observed or not", () => {
    const { checked, graph } = makeGraph()
    graph.observe("ConfigMap", object("owner"))
    graph.observe("ConfigMap", object("child", ["owner"]))
    graph.allListed()
    graph.replace("ConfigMap", [object("child", ["owner"])])
    assert.deepStrictEqual(checked, ["child"])
    assert.isUndefined(graph.get("owner"))
  })

  it("wakes an owner that waits when it is no longer blocked", () => {
    const { checked, graph } = makeGraph()
    const blocking = (blockOwnerDeletion: boolean) =>
      configMap("child", {
        uid: "child",
        ownerReferences: [ownerReferenceTo("ConfigMap", "owner", "owner", { blockOwnerDeletion })]
      })
    graph.observe("ConfigMap", object("owner"))
    graph.observe("ConfigMap", blocking(true))
    graph.allListed()
    const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["foregroundDeletion"] }
    graph.observe("ConfigMap", object("owner", [], deleted))
    assert.deepStrictEqual(checked, ["child", "owner"])
    assert.strictEqual(graph.blockingDependentsOf("owner").length, 1)
    graph.observe("ConfigMap", blocking(false))
    assert.deepStrictEqual(checked, ["child", "owner", "owner"])
    assert.strictEqual(graph.blockingDependentsOf("owner").length, 0)
  })

  it("knows the dependents that a fresh graph of the last state knows, whatever happened before", () => {
    const uid = fc.constantFrom("a", "b", "c", "d")
    const step = fc.oneof(
      fc.record({ uid, owners: fc.uniqueArray(uid, { maxLength: 3 }) }),
      fc.record({ uid, owners: fc.constant(undefined) })
    )
    const shape = (graph: OwnerGraph) =>
      ["a", "b", "c", "d"].map((owner) =>
        graph
          .dependentsOf(owner)
          .map((item) => [item.uid, item.owners.length])
          .sort()
      )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const { graph } = makeGraph()
        graph.allListed()
        const state = new Map<string, ConfigMap>()
        for (const { owners, uid: subject } of steps) {
          if (owners === undefined) {
            graph.forget(subject)
            state.delete(subject)
          } else {
            state.set(subject, object(subject, owners))
            graph.observe("ConfigMap", object(subject, owners))
          }
        }
        const fresh = makeGraph().graph
        fresh.replace("ConfigMap", [...state.values()])
        assert.deepStrictEqual(shape(graph), shape(fresh))
        assert.strictEqual(graph.size, state.size)
      })
    )
  })
})
