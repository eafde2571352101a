import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import {
  configMap,
  configMapNames,
  createConfigMap,
  deleteConfigMap,
  getConfigMap,
  ownerReferenceTo,
  runWithCollector,
  waitForCollector
} from "./runWithCollector.ts"

describe("in the background", () => {
  it("dependents follow their owner, generation by generation", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const grandparent = yield* createConfigMap("grandparent")
        const parent = yield* createConfigMap("parent", [grandparent])
        yield* createConfigMap("child", [parent])
        yield* createConfigMap("stranger")
        yield* waitForCollector
        yield* deleteConfigMap("grandparent")
        yield* waitForCollector
        return yield* configMapNames
      })
    )
    assert.deepStrictEqual(left, ["stranger"])
  })

  it("a dependent with another owner stays, and loses the reference to the deleted one", () => {
    const references = runWithCollector(
      Effect.gen(function* () {
        const [one, other] = [yield* createConfigMap("one"), yield* createConfigMap("other")]
        yield* createConfigMap("child", [one, other])
        yield* deleteConfigMap("one")
        yield* waitForCollector
        return (yield* getConfigMap("child")).metadata.ownerReferences?.map(({ name }) => name)
      })
    )
    assert.deepStrictEqual(references, ["other"])
  })

  it("a dependent follows an owner that it names in another served version", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" }
        const owner = yield* api.create("HorizontalPodAutoscaler", {
          apiVersion: "autoscaling/v2",
          kind: "HorizontalPodAutoscaler",
          metadata: { name: "h", namespace: "default" },
          spec: { maxReplicas: 2, scaleTargetRef }
        })
        const { apiVersion, ...rest } = ownerReferenceTo("HorizontalPodAutoscaler", "h", owner.metadata.uid)
        yield* api.create("ConfigMap", {
          ...configMap("child"),
          metadata: { ...configMap("child").metadata, ownerReferences: [{ ...rest, apiVersion: "autoscaling/v1" }] }
        })
        yield* api.delete("HorizontalPodAutoscaler", { name: "h", namespace: "default" })
        yield* waitForCollector
        return [apiVersion, ...(yield* configMapNames)]
      })
    )
    assert.deepStrictEqual(left, ["autoscaling/v2"])
  })

  it("a pod is given its grace period", () => {
    const pod = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        const owner = yield* createConfigMap("owner")
        yield* api.create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: {
            name: "p",
            namespace: "default",
            ownerReferences: [ownerReferenceTo("ConfigMap", "owner", owner.metadata.uid)]
          },
          spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] }
        })
        yield* deleteConfigMap("owner")
        yield* waitForCollector
        return yield* api.get("Pod", { name: "p", namespace: "default" })
      })
    )
    assert.strictEqual(pod.metadata.deletionGracePeriodSeconds, 30)
  })
})

describe("in the foreground", () => {
  const program = (blockOwnerDeletion: boolean) =>
    Effect.gen(function* () {
      const api = yield* Cluster
      const owner = yield* createConfigMap("owner")
      yield* createConfigMap("held", [owner], { blockOwnerDeletion })
      yield* api.patch("ConfigMap", { name: "held", namespace: "default" }, "merge", {
        metadata: { finalizers: ["x.io/hold"] }
      })
      yield* deleteConfigMap("owner", "Foreground")
      yield* waitForCollector
      const meanwhile = yield* configMapNames
      yield* api.patch("ConfigMap", { name: "held", namespace: "default" }, "merge", { metadata: { finalizers: null } })
      yield* waitForCollector
      return { meanwhile, after: yield* configMapNames }
    })

  it("an owner waits for what blocks it", () => {
    assert.deepStrictEqual(runWithCollector(program(true)), { meanwhile: ["held", "owner"], after: [] })
  })

  it("and not for what does not", () => {
    assert.deepStrictEqual(runWithCollector(program(false)), { meanwhile: ["held"], after: [] })
  })

  it("dependents with dependents of their own go in the foreground too", () => {
    const policy = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        const owner = yield* createConfigMap("owner")
        const parent = yield* createConfigMap("parent", [owner], { blockOwnerDeletion: true })
        yield* createConfigMap("child", [parent], { blockOwnerDeletion: true })
        yield* api.patch("ConfigMap", { name: "child", namespace: "default" }, "merge", {
          metadata: { finalizers: ["x.io/hold"] }
        })
        yield* deleteConfigMap("owner", "Foreground")
        yield* waitForCollector
        return (yield* getConfigMap("parent")).metadata.finalizers
      })
    )
    assert.deepStrictEqual(policy, ["foregroundDeletion"])
  })

  it("objects that own one another in a circle do not wait forever", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        const one = yield* createConfigMap("one")
        const other = yield* createConfigMap("other", [one], { blockOwnerDeletion: true })
        yield* api.patch("ConfigMap", { name: "one", namespace: "default" }, "merge", {
          metadata: {
            ownerReferences: [ownerReferenceTo("ConfigMap", "other", other.metadata.uid, { blockOwnerDeletion: true })]
          }
        })
        yield* waitForCollector
        yield* deleteConfigMap("one", "Foreground")
        yield* waitForCollector
        return yield* configMapNames
      })
    )
    assert.deepStrictEqual(left, [])
  })

  it("an owner is deleted when its last blocking dependent drops its reference", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        const [owner, second] = [yield* createConfigMap("owner"), yield* createConfigMap("second")]
        yield* createConfigMap("shared", [owner, second], { blockOwnerDeletion: true })
        yield* api.patch("ConfigMap", { name: "shared", namespace: "default" }, "merge", {
          metadata: { labels: { a: "b" } }
        })
        yield* deleteConfigMap("owner", "Foreground")
        yield* waitForCollector
        return { left: yield* configMapNames, owners: (yield* getConfigMap("shared")).metadata.ownerReferences?.length }
      })
    )
    assert.deepStrictEqual(left, { left: ["second", "shared"], owners: 1 })
  })
})

it("with Orphan, dependents stay without an owner", () => {
  const outcome = runWithCollector(
    Effect.gen(function* () {
      const owner = yield* createConfigMap("owner")
      yield* createConfigMap("a", [owner], { blockOwnerDeletion: true })
      yield* createConfigMap("b", [owner])
      yield* deleteConfigMap("owner", "Orphan")
      yield* waitForCollector
      return { left: yield* configMapNames, owners: (yield* getConfigMap("a")).metadata.ownerReferences ?? [] }
    })
  )
  assert.deepStrictEqual(outcome, { left: ["a", "b"], owners: [] })
})

describe("references to", () => {
  const created = (reference: ReturnType<typeof ownerReferenceTo>) =>
    runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* createConfigMap("namesake")
        yield* api.create("ConfigMap", configMap("child", { ownerReferences: [reference] }))
        yield* waitForCollector
        return (yield* configMapNames).includes("child")
      })
    )

  it("a missing owner, or another object with its name, does not keep an object", () => {
    assert.isFalse(created(ownerReferenceTo("ConfigMap", "missing", "u0")))
    assert.isFalse(created(ownerReferenceTo("ConfigMap", "namesake", "u0")))
  })

  it("a kind that the API does not serve keep it", () => {
    assert.isTrue(created({ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "u0" }))
    assert.isTrue(created({ apiVersion: "v9", kind: "ConfigMap", name: "w", uid: "u0" }))
  })

  it("an owner in another namespace count as none, with a warning", () => {
    const outcome = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        const owner = yield* createConfigMap("owner")
        yield* waitForCollector
        const child = yield* api.create(
          "ConfigMap",
          configMap("child", {
            namespace: "kube-system",
            ownerReferences: [ownerReferenceTo("ConfigMap", "owner", owner.metadata.uid)]
          })
        )
        yield* waitForCollector
        const [event] = (yield* api.list("Event")).items
        return { left: yield* configMapNames, event, child, owner }
      })
    )
    assert.deepStrictEqual(outcome.left, ["owner"])
    assert.strictEqual(outcome.event?.reason, "OwnerRefInvalidNamespace")
    assert.strictEqual(outcome.event?.involvedObject.uid, outcome.child.metadata.uid)
    assert.strictEqual(
      outcome.event?.message,
      `ownerRef [v1/ConfigMap, namespace: kube-system, name: owner, uid: ${outcome.owner.metadata.uid}] does not exist in namespace "kube-system"`
    )
  })

  it("a namespaced owner leave a cluster-scoped object alone", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        yield* api.create("PriorityClass", {
          apiVersion: "scheduling.k8s.io/v1",
          kind: "PriorityClass",
          metadata: { name: "high", ownerReferences: [ownerReferenceTo("ConfigMap", "missing", "u0")] },
          value: 1
        })
        yield* waitForCollector
        return (yield* api.get("PriorityClass", { name: "high" })).metadata.name
      })
    )
    assert.strictEqual(left, "high")
  })
})

it("collects what lost its owners, and nothing else, whatever owns what", () => {
  // Object i may be owned by any before it; some of them are deleted.
  const forest = fc
    .integer({ min: 2, max: 9 })
    .chain((size) =>
      fc.tuple(
        fc.tuple(
          ...Array.from({ length: size }, (_, index) =>
            fc.uniqueArray(fc.nat(Math.max(0, index - 1)), { maxLength: 2 })
          )
        ),
        fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }),
        fc.constantFrom("Background" as const, "Foreground" as const)
      )
    )
    .map(([owners, deleted, policy]) => ({
      owners: owners.map((list, index) => (index === 0 ? [] : list)),
      deleted,
      policy
    }))
  fc.assert(
    fc.property(forest, ({ deleted, owners, policy }) => {
      const gone = new Set<number>()
      owners.forEach((list, index) => {
        if (deleted.includes(index) || (list.length > 0 && list.every((owner) => gone.has(owner)))) gone.add(index)
      })
      const wanted = owners.flatMap((_, index) => (gone.has(index) ? [] : [`o${index}`]))
      const left = runWithCollector(
        Effect.gen(function* () {
          const objects: Array<Effect.Success<ReturnType<typeof createConfigMap>>> = []
          for (const [index, list] of owners.entries()) {
            objects.push(
              yield* createConfigMap(
                `o${index}`,
                list.flatMap((owner) => objects[owner] ?? []),
                { blockOwnerDeletion: true }
              )
            )
          }
          yield* waitForCollector
          for (const index of deleted) yield* deleteConfigMap(`o${index}`, policy).pipe(Effect.ignore)
          yield* Effect.sleep("2 minutes")
          return yield* configMapNames
        })
      )
      assert.deepStrictEqual(left, wanted)
    }),
    { numRuns: 60 }
  )
})
