import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { assert } from "vitest"
import { decodeList, decodeObject, kindNames, resourceOf } from "../src/index.ts"

const fault = (effect: Effect.Effect<unknown, { readonly message: string }>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("decoding", () => {
  it.effect("returns a complete object unchanged, with every field that no Schema names", () =>
    Effect.gen(function* () {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p", labels: { a: "b" }, futureField: { deep: [1, null, { x: "y" }] } },
        spec: {
          containers: [{ name: "c", futureFlag: true, resources: { requests: { cpu: 2, memory: "1Gi" } } }],
          volumes: [{ name: "v", glusterfs: { path: "/x" } }],
          futureList: [[1], [2]]
        },
        status: { conditions: [{ type: "Ready", status: "True", lastProbeTime: null }], futureStatus: null }
      }
      const before = JSON.stringify(pod)
      const decoded = yield* decodeObject("Pod", pod)
      assert.strictEqual<unknown>(decoded, pod)
      assert.strictEqual(JSON.stringify(decoded), before)
    })
  )

  it.effect("keeps any unknown fields of any kind", () =>
    Effect.sync(() =>
      fc.assert(
        fc.property(fc.constantFrom(...kindNames), fc.jsonValue(), (kind, json) => {
          const input = { metadata: { name: "x", "x-unknown": json }, "x-unknown": json }
          const decoded: unknown = Effect.runSync(decodeObject(kind, input))
          assert.deepInclude(decoded, { kind, "x-unknown": json, metadata: { name: "x", "x-unknown": json } })
        })
      )
    )
  )

  it.effect("reads absent and null as Go does: the zero value if the field is required, else undefined", () =>
    Effect.gen(function* () {
      const pod = yield* decodeObject("Pod", {
        metadata: { creationTimestamp: null },
        spec: { containers: null, tolerations: [{ key: "k", tolerationSeconds: null }] }
      })
      assert.deepStrictEqual<unknown>(pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {},
        spec: { containers: [], tolerations: [{ key: "k" }] }
      })
      const lacking = yield* decodeObject("Node", { spec: { taints: [{ key: "k" }] } })
      assert.deepStrictEqual<unknown>(lacking.spec?.taints, [{ key: "k", effect: "" }])
      const labelled = yield* decodeObject("Node", { metadata: { labels: { a: null } } })
      assert.deepStrictEqual<unknown>(labelled.metadata.labels, { a: "" })
    })
  )

  it.effect("accepts values that validation will refuse, so that validation can report why", () =>
    Effect.gen(function* () {
      const node = yield* decodeObject("Node", { spec: { taints: [{ key: "k", effect: "NoUse" }] } })
      assert.strictEqual(node.spec?.taints?.[0]?.effect, "NoUse")
    })
  )

  it.effect("names the path of an invalid value", () =>
    Effect.gen(function* () {
      const container = (requests: unknown) => ({ spec: { containers: [{ name: "c", resources: { requests } }] } })
      assert.match(yield* fault(decodeObject("Pod", container({ cpu: "1q" }))), /"requests"\]\["cpu"\]/)
      assert.match(yield* fault(decodeObject("Pod", container({ cpu: true }))), /"requests"\]\["cpu"\]/)
      assert.match(yield* fault(decodeObject("Node", { kind: "Pod" })), /"kind"/)
      assert.match(yield* fault(decodeObject("Node", { spec: { unschedulable: "yes" } })), /"unschedulable"/)
      assert.match(yield* fault(decodeObject("Pod", { spec: { priority: 1.5 } })), /"priority"/)
      assert.match(yield* fault(decodeObject("Lease", { spec: { renewTime: "2026-01-01T00:00:00Z" } })), /"renewTime"/)
      assert.match(yield* fault(decodeObject("Node", "text")), /object/)
    })
  )

  it.effect("gives the items of a list their kind", () =>
    Effect.gen(function* () {
      const list = yield* decodeList("Lease", {
        kind: "LeaseList",
        metadata: { resourceVersion: "7" },
        items: [{ metadata: { name: "n1" } }]
      })
      assert.strictEqual(list.items[0]?.apiVersion, "coordination.k8s.io/v1")
      assert.strictEqual(list.metadata.resourceVersion, "7")
      assert.deepStrictEqual<unknown>((yield* decodeList("Pod", { items: null })).items, [])
    })
  )
})

describe("resources", () => {
  it("have unique names", () => {
    // The singular of endpoints is endpoints.
    const names = kindNames.flatMap((kind) => [
      ...new Set([resourceOf(kind).plural, resourceOf(kind).singular, ...resourceOf(kind).shortNames])
    ])
    assert.strictEqual(new Set(names).size, names.length)
    for (const kind of kindNames) assert.strictEqual(resourceOf(kind).kind, kind)
  })
})
