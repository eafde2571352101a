import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { KindName } from "../../src/index.ts"
import { applyStrategicPatch, type Json } from "../../src/patch/index.ts"

const apply = (kind: KindName, document: unknown, patch: unknown): Json =>
  Result.getOrThrow(applyStrategicPatch(kind, document, patch))
const failure = (kind: KindName, document: unknown, patch: unknown) => {
  const result = applyStrategicPatch(kind, document, patch)
  return Result.isFailure(result) ? result.failure : assert.fail("applied")
}
const meta = (metadata: unknown) => ({ metadata })

describe("applyStrategicPatch", () => {
  it("deletes from lists of scalars, also from atomic ones", () => {
    const document = { metadata: { finalizers: ["a", "b", "c"] }, spec: { list: ["x", "y"] } }
    assert.deepStrictEqual<unknown>(
      apply("Node", document, {
        metadata: { "$deleteFromPrimitiveList/finalizers": ["b", "z"] },
        spec: { "$deleteFromPrimitiveList/list": ["x"], "$deleteFromPrimitiveList/absent": ["x"] }
      }),
      { metadata: { finalizers: ["a", "c"] }, spec: { list: ["y"] } }
    )
  })

  it("orders lists of scalars, keeping elements outside the patch in the server's order", () => {
    assert.deepStrictEqual<unknown>(
      apply("Node", meta({ finalizers: ["a", "b", "c", "d"] }), {
        metadata: { "$setElementOrder/finalizers": ["d", "new", "b"], finalizers: ["new"] }
      }),
      meta({ finalizers: ["a", "c", "d", "new", "b"] })
    )
  })

  it("refuses an order of what Go cannot compare or sort", () => {
    const rules = [{ verbs: ["get"] }]
    const refusal = (patch: object) => failure("ClusterRole", { rules }, patch).message
    const unhashable = "runtime error: hash of unhashable type map[string]interface {}"
    assert.strictEqual(refusal({ "$setElementOrder/rules": [] }), unhashable)
    assert.strictEqual(refusal({ "$setElementOrder/rules": rules, rules: [] }), unhashable)
    assert.strictEqual(
      refusal({ "$setElementOrder/rules": rules, rules }),
      "runtime error: comparing uncomparable type map[string]interface {}"
    )
    assert.strictEqual(
      refusal({ "$setElementOrder/rules": [], rules: [] }),
      "map: map[verbs:[get]] does not contain declared merge key: "
    )
    assert.strictEqual(
      refusal({ "$setElementOrder/rules": [-1], rules: [] }),
      "expected a map[string]interface {}, but received a int64"
    )
    assert.strictEqual(
      failure("ClusterRole", { metadata: {} }, { metadata: { "$setElementOrder/labels": [] } }).message,
      "expected slice or array type, but got: struct"
    )
    assert.strictEqual(
      failure("ClusterRole", meta({ labels: {} }), { metadata: { "$setElementOrder/labels": [] } }).message,
      "expected a []interface {}, but received a map[string]interface {}"
    )
  })

  it("refuses a patch list whose order contradicts $setElementOrder", () => {
    const patch = {
      metadata: { "$setElementOrder/finalizers": ["a", "b"], finalizers: ["b", "a"] }
    }
    assert.strictEqual(
      failure("Node", meta({ finalizers: ["a"] }), patch).message,
      "The order in patch list:\n[b a]\n doesn't match $setElementOrder list:\n[a b]\n"
    )
  })

  it("keeps only the keys of $retainKeys, and refuses a patch that sets more", () => {
    const document = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } }
    const recreate = { $retainKeys: ["type"], type: "Recreate" }
    assert.deepStrictEqual<unknown>(apply("Deployment", document, { spec: { strategy: recreate } }), {
      spec: { strategy: { type: "Recreate" } }
    })
    const error = failure("Deployment", document, { spec: { strategy: { ...recreate, other: 1 } } })
    assert.deepStrictEqual<unknown>([error.code, error.message], [400, "invalid patch format of retainKeys"])
  })

  it("does not store directives and nulls of new values", () => {
    const patch = {
      metadata: {
        labels: { a: "1", b: null },
        ownerReferences: [{ $patch: "delete", uid: "u" }, { uid: "v" }],
        annotations: { $patch: "delete" }
      }
    }
    assert.deepStrictEqual<unknown>(
      apply("Node", meta({}), patch),
      meta({ labels: { a: "1" }, ownerReferences: [{ uid: "v" }] })
    )
  })

  it("corrupts two addresses of one type as upstream does, which is why writers replace them", () => {
    const addresses = [
      { type: "InternalIP", address: "1.1.1.1" },
      { type: "InternalIP", address: "fd00::1" }
    ]
    const patch = { status: { addresses: [{ type: "InternalIP", address: "2.2.2.2" }, { ...addresses[1] }] } }
    assert.deepStrictEqual<unknown>(apply("Node", { status: { addresses } }, patch), {
      status: { addresses: [{ type: "InternalIP", address: "fd00::1" }, addresses[1]] }
    })
  })

  it("replaces a budget's selector as a whole", () => {
    assert.deepStrictEqual<unknown>(
      apply("PodDisruptionBudget", { spec: { selector: { matchLabels: { a: "1" } } } }, { spec: { selector: {} } }),
      { spec: { selector: {} } }
    )
  })

  it("fails with upstream's messages", () => {
    const node = { status: { conditions: [{ type: "Ready", status: "True" }] } }
    const conditions = (...list: ReadonlyArray<unknown>) =>
      failure("Node", node, { status: { conditions: list } }).message
    assert.strictEqual(
      conditions({ type: "Ready", $patch: "merge" }),
      "merging lists cannot yet be specified in the patch"
    )
    assert.strictEqual(
      conditions({ type: "Ready", $patch: "zap" }),
      "unknown patch type: zap in map: map[$patch:zap type:Ready]"
    )
    assert.strictEqual(
      conditions("Ready"),
      "list element types are not identical: [[map[status:True type:Ready]] [Ready]]"
    )
    assert.strictEqual(
      failure("Node", node, { $patch: "zap" }).message,
      "unknown patch type: zap in map: map[$patch:zap]"
    )
    assert.strictEqual(
      failure("Node", meta({ finalizers: [] }), meta({ finalizers: [["a"]] })).message,
      "lists of lists are not supported"
    )
    assert.strictEqual(
      failure("Node", meta({ finalizers: ["a"] }), { metadata: { "$setElementOrder/finalizers": 1 } }).message,
      "expected a []interface {}, but received a int64"
    )
    assert.strictEqual(failure("Node", node, []).code, 400)
  })

  it("shares unchanged parts, mutates no argument, and returns the same document when nothing changes", () => {
    const document = {
      metadata: { finalizers: ["a", "b"] },
      status: {
        conditions: [
          { type: "Ready", status: "True" },
          { type: "X", status: "False" }
        ],
        images: [{ names: [] }]
      }
    }
    const copy = structuredClone(document)
    const patch = { status: { conditions: [{ type: "Ready", status: "False" }] } }
    const result = apply("Node", document, patch) as typeof document
    assert.strictEqual(result.metadata, document.metadata)
    assert.strictEqual(result.status.images, document.status.images)
    assert.strictEqual(result.status.conditions[1], document.status.conditions[1])
    assert.deepStrictEqual<unknown>(document, copy)
    assert.strictEqual(apply("Node", result, patch), result)
    assert.strictEqual(apply("Node", document, { metadata: { finalizers: ["a"], labels: null } }), document)
  })

  it("refuses an order of a list that the kind lacks, or of elements that are no maps", () => {
    const order = (spec: object) => failure("Pod", { spec: { containers: [{ name: "a" }] } }, { spec })
    assert.deepInclude(order({ "$setElementOrder/taints": [{ key: "a" }] }), {
      code: 500,
      message: 'unable to find api field in struct PodSpec for the json field "taints"'
    })
    const notMap = (at: number) => ({ code: 500, message: `value for key ${at} is not a map` }) as const
    assert.deepInclude(order({ "$setElementOrder/containers": ["a"] }), notMap(0))
    assert.deepInclude(order({ "$setElementOrder/containers": [{ name: "b" }, null] }), notMap(1))
  })

  it("merges no map or list within a map, nor within JSON of any form", () => {
    const inMap = "merging an object in json but data type is not struct, instead is: map"
    const extra = (value: unknown) => ({ spec: { extra: { key: value } } })
    const kind = "CertificateSigningRequest"
    assert.deepInclude(failure(kind, extra(["a"]), extra(["b"])), { code: 500, message: inMap })
    assert.deepStrictEqual<unknown>(apply(kind, extra(["a"]), extra(null)), { spec: { extra: {} } })
    assert.deepStrictEqual<unknown>(apply(kind, { spec: { extra: {} } }, extra(["b"])), extra(["b"]))
    const data = (value: unknown) => ({ data: { part: value } })
    assert.deepInclude(failure("ControllerRevision", data({ a: 1 }), data({ a: 2 })), {
      code: 500,
      message: 'unable to find api field in struct RawExtension for the json field "part"'
    })
    assert.deepStrictEqual<unknown>(apply("ControllerRevision", data(1), data(2)), data(2))
  })

  it("deletes members without turning the object into a hash table", () => {
    setFlagsFromString("--allow-natives-syntax")
    const isFast = runInNewContext("(object) => %HasFastProperties(object)") as (object: unknown) => boolean
    // Compiled at its first call.
    assert.isTrue(isFast({ type: "Ready" }))
    setFlagsFromString("--no-allow-natives-syntax")
    const ready = {
      type: "Ready",
      status: "False",
      reason: "ContainersNotReady",
      message: "m",
      lastTransitionTime: "t"
    }
    const conditions = [{ type: "Ready", status: "True", reason: null, message: null, lastTransitionTime: "t" }]
    const patched = apply("Pod", { status: { conditions: [ready] } }, { status: { conditions } })
    const [condition] = (patched as { status: { conditions: ReadonlyArray<unknown> } }).status.conditions
    assert.deepStrictEqual<unknown>(condition, { type: "Ready", status: "True", lastTransitionTime: "t" })
    assert.isTrue(isFast(condition))
  })
})
