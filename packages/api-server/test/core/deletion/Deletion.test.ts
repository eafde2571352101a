import { assert, describe, it } from "@effect/vitest"
import type { ConfigMap, DeleteOptions, KubeObject, Namespace, ObjectMeta, Pod } from "@rollcall/api"
import { formatTime, parseTime } from "@rollcall/api"
import * as fc from "fast-check"
import { admittedOptions, decideDeletion, shouldDeleteDuringUpdate } from "../../../src/core/deletion/Deletion.ts"

const now = 1_767_225_600_000
const pod = (metadata: ObjectMeta = {}, spec: Partial<Pod["spec"]> = {}, phase?: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", generation: 1, ...metadata },
  spec: { containers: [], nodeName: "n", terminationGracePeriodSeconds: 30, ...spec },
  ...(phase === undefined ? {} : { status: { phase } })
})
const configMap = (metadata: ObjectMeta = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...metadata }
})
const namespace = (metadata: ObjectMeta, finalizers: ReadonlyArray<string>): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ns", ...metadata },
  spec: { finalizers },
  status: { phase: "Active" }
})

const deletionOf = (object: KubeObject, options: DeleteOptions = {}, at = now) => {
  const deletion = decideDeletion(object, options, at)
  return deletion._tag === "Mark" ? deletion.object : assert.fail(deletion._tag)
}

describe("the generation", () => {
  it("moves when the deletion starts, beyond the integers that numbers hold", () => {
    const generationFrom = (generation: number | bigint) =>
      deletionOf(configMap({ generation: generation as number, finalizers: ["example.com/f"] })).metadata.generation
    assert.strictEqual(generationFrom(4), 5)
    assert.strictEqual(generationFrom(9_007_199_254_740_993n) as unknown, 9_007_199_254_740_994n)
  })
})

describe("pods", () => {
  it("keeps the finalizers of an object that has sixty thousand", { timeout: 20_000 }, () => {
    const finalizers = Array.from({ length: 60_000 }, (_, index) => `example.com/f${index}`)
    const decided = decideDeletion(configMap({ finalizers }), {}, now)
    assert.strictEqual(decided._tag === "Mark" && decided.object.metadata.finalizers, finalizers)
  })

  it("are due from the first delete on, however late the second is", () => {
    const first = deletionOf(pod())
    const second = deletionOf(first, { gracePeriodSeconds: 10 }, now + 25_000)
    assert.strictEqual(second.metadata.deletionTimestamp, formatTime(now + 10_000))
    assert.strictEqual(second.metadata.generation, 2)
  })

  it("show their last state when the kubelet deletes them", () => {
    const deletion = decideDeletion(deletionOf(pod()), { gracePeriodSeconds: 0 }, now + 12_000)
    assert.isTrue(deletion._tag === "RemoveMarked" && deletion.object.metadata.deletionGracePeriodSeconds === 0)
  })

  it("after their grace wait for their finalizers, whatever grace period a later delete has", () => {
    const waiting = deletionOf(pod({ finalizers: ["x.io/a"] }), { gracePeriodSeconds: 0 })
    assert.deepStrictEqual(decideDeletion(waiting, { gracePeriodSeconds: 60 }, now + 5000), { _tag: "Unchanged" })
    const free = { ...waiting, metadata: { ...waiting.metadata, finalizers: [] } }
    assert.isTrue(shouldDeleteDuringUpdate(free, waiting))
  })

  it("with a negative period get one second", () => {
    assert.strictEqual(
      deletionOf(pod({}, { terminationGracePeriodSeconds: -5 })).metadata.deletionGracePeriodSeconds,
      1
    )
    assert.strictEqual(deletionOf(pod(), { gracePeriodSeconds: -5 }).metadata.deletionGracePeriodSeconds, 1)
    const shortened = deletionOf(deletionOf(pod()), { gracePeriodSeconds: -5 })
    assert.strictEqual(shortened.metadata.deletionGracePeriodSeconds, 1)
  })

  it("accept a propagation policy only with the delete that begins or shortens their grace", () => {
    const first = deletionOf(pod(), { propagationPolicy: "Foreground" })
    assert.deepStrictEqual(first.metadata.finalizers, ["foregroundDeletion"])
    assert.deepStrictEqual(decideDeletion(first, { propagationPolicy: "Orphan" }, now), { _tag: "Unchanged" })
    const shorter = deletionOf(first, { propagationPolicy: "Orphan", gracePeriodSeconds: 1 })
    assert.deepStrictEqual(shorter.metadata.finalizers, ["orphan"])
  })

  it("never get more time by a later delete, and are never mutated", () => {
    const grace = fc.option(fc.integer({ min: -2, max: 60 }), { nil: undefined })
    const step = fc.record({ grace, wait: fc.nat(20_000) })
    fc.assert(
      fc.property(grace, fc.array(step, { minLength: 1, maxLength: 6 }), (spec, steps) => {
        let current: KubeObject = pod({}, spec === undefined ? {} : { terminationGracePeriodSeconds: spec })
        let at = now
        for (const { grace: asked, wait } of steps) {
          const before = structuredClone(current)
          const deletion = decideDeletion(current, asked === undefined ? {} : { gracePeriodSeconds: asked }, at)
          assert.deepStrictEqual(current, before)
          if (deletion._tag === "Remove" || deletion._tag === "RemoveMarked") return
          if (deletion._tag === "Mark") {
            const ends = (object: KubeObject) => parseTime(object.metadata.deletionTimestamp ?? "")
            if (before.metadata.deletionTimestamp !== undefined) assert.isBelow(ends(deletion.object), ends(before))
            assert.isAbove(deletion.object.metadata.deletionGracePeriodSeconds ?? 0, 0)
            current = deletion.object
          }
          at += wait
        }
      })
    )
  })
})

describe("kinds without grace", () => {
  it("are deleted at once, unchanged", () => {
    const object = configMap()
    assert.deepStrictEqual(decideDeletion(object, { gracePeriodSeconds: 30 }, now), { _tag: "Remove", object })
  })

  it("wait for finalizers, of their own or of the propagation policy", () => {
    const held = deletionOf(configMap({ finalizers: ["x.io/a"], generation: 3 }))
    assert.deepStrictEqual(held.metadata, {
      name: "c",
      finalizers: ["x.io/a"],
      generation: 4,
      deletionTimestamp: formatTime(now),
      deletionGracePeriodSeconds: 0
    })
    assert.deepStrictEqual(deletionOf(configMap(), { propagationPolicy: "Orphan" }).metadata.finalizers, ["orphan"])
    assert.deepStrictEqual(deletionOf(configMap(), { orphanDependents: true }).metadata.finalizers, ["orphan"])
    assert.strictEqual(decideDeletion(configMap(), { orphanDependents: false }, now)._tag, "Remove")
  })

  it("take the finalizers of dependents from Events, whatever the policy", () => {
    const event = (...finalizers: ReadonlyArray<string>) => ({ ...configMap({ finalizers }), kind: "Event" })
    assert.strictEqual(decideDeletion(event("orphan"), {}, now)._tag, "Remove")
    const held = deletionOf(event("foregroundDeletion", "x.io/a"), { propagationPolicy: "Orphan" })
    assert.deepStrictEqual(held.metadata.finalizers, ["x.io/a"])
  })

  it("change their policy while they wait, and stay when nothing changes", () => {
    const waiting = deletionOf(configMap({ finalizers: ["x.io/a"] }), { propagationPolicy: "Foreground" })
    assert.deepStrictEqual(waiting.metadata.finalizers, ["x.io/a", "foregroundDeletion"])
    assert.deepStrictEqual(decideDeletion(waiting, {}, now + 5000), { _tag: "Unchanged" })
    const orphaning = deletionOf(waiting, { propagationPolicy: "Orphan" }, now + 5000)
    assert.deepStrictEqual(orphaning.metadata.finalizers, ["x.io/a", "orphan"])
    assert.strictEqual(orphaning.metadata.deletionTimestamp, formatTime(now))
    const background = deletionOf(orphaning, { propagationPolicy: "Background" }, now)
    assert.deepStrictEqual(background.metadata.finalizers, ["x.io/a"])
  })

  it("keep the finalizer of an earlier policy when a delete has none", () => {
    assert.deepStrictEqual(deletionOf(configMap({ finalizers: ["orphan"] })).metadata.finalizers, ["orphan"])
  })

  it("are removed by the update that takes their last finalizer", () => {
    const waiting = deletionOf(configMap({ finalizers: ["x.io/a", "x.io/b"] }))
    const without = (finalizers: ReadonlyArray<string>) => ({
      ...waiting,
      metadata: { ...waiting.metadata, finalizers }
    })
    assert.isFalse(shouldDeleteDuringUpdate(without(["x.io/b"]), waiting))
    assert.isTrue(shouldDeleteDuringUpdate(without([]), waiting))
    assert.isFalse(shouldDeleteDuringUpdate(configMap(), configMap({ finalizers: ["x.io/a"] })))
  })
})

describe("namespaces", () => {
  it("terminate, and are deleted when their controller has emptied them", () => {
    const dependentsFirst = deletionOf(namespace({}, ["kubernetes"]), { orphanDependents: false })
    assert.deepStrictEqual(dependentsFirst.metadata.finalizers, ["foregroundDeletion"])
    const terminating = deletionOf(namespace({}, ["kubernetes"])) as Namespace
    assert.strictEqual(terminating.status?.phase, "Terminating")
    assert.deepStrictEqual(decideDeletion(terminating, {}, now), { _tag: "Unchanged" })
    const emptied = { ...terminating, spec: { finalizers: [] } }
    assert.isTrue(shouldDeleteDuringUpdate(emptied, terminating))
    assert.strictEqual(decideDeletion(emptied, {}, now)._tag, "Remove")
  })
})

describe("the options that admission sees", () => {
  it("have the uid of a kind that checks preconditions itself", () => {
    const dryRun = ["All"]
    assert.deepStrictEqual(admittedOptions(namespace({ uid: "u" }, []), { dryRun }), {
      dryRun,
      preconditions: { uid: "u" }
    })
    assert.deepStrictEqual(admittedOptions(namespace({ uid: "u" }, []), { preconditions: { resourceVersion: "5" } }), {
      preconditions: { uid: "u", resourceVersion: "5" }
    })
    assert.deepStrictEqual(admittedOptions(configMap({ uid: "u" }), { dryRun }), { dryRun })
    const other: KubeObject = { apiVersion: "x.example.com/v1", kind: "Namespace", metadata: { name: "n", uid: "u" } }
    assert.deepStrictEqual(admittedOptions(other, {}), {})
  })
})
