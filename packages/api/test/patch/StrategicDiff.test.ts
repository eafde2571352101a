import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { Deployment, Node, Pod } from "../../src/index.ts"
import {
  applyStrategicPatch,
  createNodeStatusPatch,
  createPodStatusPatch,
  createStrategicPatch
} from "../../src/patch/index.ts"

const text = fc.constantFrom("a", "b", "c", "d")
const texts = fc.dictionary(text, text, { noNullPrototype: true })
const uniqueTexts = fc.uniqueArray(text)
const uniqueByKey = <A extends Record<string, unknown>>(key: keyof A & string, element: fc.Arbitrary<A>) =>
  fc.uniqueArray(element, { selector: (item) => item[key], maxLength: 4 })
const optionalFields = <A extends object>(fields: { [K in keyof A]: fc.Arbitrary<A[K]> }) =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true })
const requiredFields = <A extends object, K extends keyof A>(
  keys: ReadonlyArray<K>,
  fields: { [P in keyof A]: fc.Arbitrary<A[P]> }
) => fc.record(fields, { requiredKeys: [...keys], noNullPrototype: true })

const metadata = optionalFields({
  labels: texts,
  finalizers: uniqueTexts,
  ownerReferences: uniqueByKey(
    "uid",
    requiredFields(["apiVersion", "kind", "uid", "name"], {
      apiVersion: text,
      kind: text,
      uid: text,
      name: text,
      controller: fc.boolean()
    })
  )
})

const node = fc
  .record({
    metadata,
    spec: optionalFields({
      podCIDRs: uniqueTexts,
      unschedulable: fc.boolean(),
      taints: fc.array(fc.record({ key: text, effect: text }), { maxLength: 2 })
    }),
    status: optionalFields({
      conditions: uniqueByKey("type", requiredFields(["type"], { type: text, status: text, reason: text })),
      // A replaced list comes out grouped by key, so only such lists can be made.
      addresses: fc
        .array(fc.record({ type: text, address: text }), { maxLength: 4 })
        .map((addresses) => addresses.toSorted((left, right) => left.type.localeCompare(right.type))),
      images: fc.array(fc.record({ names: fc.array(text, { maxLength: 2 }) }), { maxLength: 2 }),
      capacity: texts
    })
  })
  .map((fields): Node => ({ apiVersion: "v1", kind: "Node", ...fields }) as Node)

const container = requiredFields(["name"], {
  name: text,
  image: text,
  args: fc.array(text, { maxLength: 2 }),
  env: uniqueByKey("name", requiredFields(["name"], { name: text, value: text })),
  ports: uniqueByKey(
    "containerPort",
    requiredFields(["containerPort"], { containerPort: fc.constantFrom(80, 443), protocol: text })
  )
})
const volume = requiredFields(["name"], {
  name: text,
  emptyDir: fc.constant({}),
  hostPath: fc.record({ path: text }),
  secret: optionalFields({ secretName: text, optional: fc.boolean() })
})
const podSpec = fc.record({
  containers: uniqueByKey("name", container),
  volumes: uniqueByKey("name", volume),
  tolerations: fc.array(fc.record({ key: text }), { maxLength: 2 }),
  nodeSelector: texts
})
const pod = fc
  .record({ metadata, spec: podSpec })
  .map((fields): Pod => ({ apiVersion: "v1", kind: "Pod", ...fields }) as Pod)

const deployment = fc
  .record({
    metadata,
    spec: fc.record({
      selector: fc.constant({}),
      strategy: requiredFields(["type"], {
        type: text,
        rollingUpdate: optionalFields({ maxSurge: fc.nat(3), maxUnavailable: text })
      }),
      template: fc.record({ metadata, spec: podSpec })
    })
  })
  .map((fields): Deployment => ({ apiVersion: "apps/v1", kind: "Deployment", ...fields }) as Deployment)

const roundTrip = <K extends "Node" | "Pod" | "Deployment">(
  kind: K,
  arbitrary: fc.Arbitrary<K extends "Node" ? Node : K extends "Pod" ? Pod : Deployment>
) =>
  fc.assert(
    fc.property(arbitrary, arbitrary, (original, modified) => {
      const patch = createStrategicPatch<"Node" | "Pod" | "Deployment">(kind, original, modified)
      assert.deepStrictEqual<unknown>(Result.getOrThrow(applyStrategicPatch(kind, original, patch)), modified)
      assert.deepStrictEqual<unknown>(createStrategicPatch<"Node" | "Pod" | "Deployment">(kind, original, original), {})
    }),
    { numRuns: 300 }
  )

describe("createStrategicPatch", () => {
  it("makes a modified node of the original", () => roundTrip("Node", node))
  it("makes a modified pod of the original", () => roundTrip("Pod", pod))
  it("makes a modified deployment of the original", () => roundTrip("Deployment", deployment))

  const make = (status: NonNullable<Node["status"]>): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    status
  })

  it("contains only the changes, with the order of the list", () => {
    const conditions = [
      { type: "Ready", status: "True" },
      { type: "DiskPressure", status: "False" },
      { type: "Old", status: "False" }
    ] as const
    const original = make({ conditions, capacity: { cpu: "1" } })
    const modified = make({
      conditions: [{ ...conditions[0], status: "False" }, conditions[1]],
      capacity: { cpu: "1" }
    })
    assert.deepStrictEqual<unknown>(createStrategicPatch("Node", original, modified), {
      status: {
        conditions: [
          { type: "Ready", status: "False" },
          { $patch: "delete", type: "Old" }
        ],
        "$setElementOrder/conditions": [{ type: "Ready" }, { type: "DiskPressure" }]
      }
    })
  })

  it("replaces a list in which a key occurs twice", () => {
    const two = [
      { type: "InternalIP", address: "1.1.1.1" },
      { type: "InternalIP", address: "fd00::1" }
    ]
    const patch = createStrategicPatch("Node", make({ addresses: two.slice(0, 1) }), make({ addresses: two }))
    assert.deepStrictEqual<unknown>(patch, { status: { addresses: [...two, { $patch: "replace" }] } })
  })
})

describe("status patches", () => {
  it("of a node leave the spec alone and replace changed addresses", () => {
    fc.assert(
      fc.property(node, node, (original, modified) => {
        const patch = createNodeStatusPatch(original, modified)
        const { spec } = original
        const wanted = { ...modified, spec }
        const addresses = original.status?.addresses ?? []
        // Removed addresses are sent as an empty list, which upstream's fix-up does too.
        if (addresses.length > 0 && modified.status?.addresses === undefined) return
        assert.deepStrictEqual<unknown>(
          patch === undefined ? original : Result.getOrThrow(applyStrategicPatch("Node", original, patch)),
          wanted
        )
      })
    )
  })

  it("of a pod contain its uid, and are not made when nothing changed", () => {
    const running: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", uid: "u1" },
      spec: { containers: [] },
      status: { phase: "Running" }
    }
    assert.isUndefined(createPodStatusPatch(running, { phase: "Running" }))
    assert.deepStrictEqual<unknown>(createPodStatusPatch(running, { phase: "Failed", reason: "Evicted" }), {
      metadata: { uid: "u1" },
      status: { phase: "Failed", reason: "Evicted" }
    })
  })
})
