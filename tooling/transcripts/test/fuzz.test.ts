import { wireTypeOf } from "@rollcall/api/wire"
import { assert, describe, it } from "vitest"
import { placesIn, withValue } from "../src/fuzz/anywhere.ts"
import { customResource } from "../src/fuzz/custom.ts"
import { difference, type Reduced, reduced, withoutSuffix } from "../src/fuzz/difference.ts"
import { withDirectives } from "../src/fuzz/directives.ts"
import { mutated } from "../src/fuzz/mutate.ts"
import { protobufEvents, protobufTree } from "../src/fuzz/protobuf.ts"
import { Random } from "../src/fuzz/Random.ts"
import { Revisions } from "../src/fuzz/Revisions.ts"
import { resourceOfKind } from "../src/fuzz/resourceOfKind.ts"
import { further } from "../src/fuzz/session.ts"
import { sweeps, variantsOf } from "../src/fuzz/sweep.ts"
import { creation } from "../src/fuzz/writes.ts"

describe("a random session", () => {
  it("is the same for the same seed, and another for another", () => {
    const steps = (seed: number) => {
      const random = new Random(seed)
      const resources = [resourceOfKind("Pod"), ...customResource(random, 1, undefined).resources]
      return Array.from({ length: 20 }, (_, number) =>
        resources.map((resource) => [
          creation(random, resource, `o-${number}`),
          further(random, resource, "/api/v1/namespaces/fuzz/pods/o", { metadata: { name: "o" }, spec: {} })
        ])
      )
    }
    assert.deepStrictEqual(steps(7), steps(7))
    assert.notDeepEqual(steps(7), steps(8))
  })

  it("changes a field somewhere within an object, and not the object that it was given", () => {
    const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } }
    const before = JSON.stringify(pod)
    const random = new Random(1)
    const made = Array.from({ length: 50 }, () =>
      JSON.stringify(mutated(random, pod, { type: "message", message: wireTypeOf("Pod") }))
    )
    assert.isAbove(new Set(made).size, 20)
    assert.strictEqual(JSON.stringify(pod), before)
  })
})

describe("a sweep", () => {
  it("makes objects that differ from the valid one at one place each, present or absent", () => {
    const base = { spec: { replicas: 1, template: { spec: { containers: [{ name: "c", image: "i" }] } } } }
    const type = { type: "message", message: wireTypeOf("Deployment") } as const
    const odd = variantsOf(sweeps[0], base, type)
    const texts = new Set(odd.map((each) => JSON.stringify(each)))
    assert.strictEqual(texts.size, odd.length)
    const mistaken = variantsOf(sweeps[1], base, type).map((each) => JSON.stringify(each))
    assert.includeMembers(
      mistaken,
      [
        { ...base.spec, template: null },
        { ...base.spec, replicas: 1.5 }
      ].map((spec) => JSON.stringify({ spec }))
    )
    const withImage = (image: string) => ({ ...base.spec.template.spec, containers: [{ name: "c", image }] })
    for (const spec of [
      { ...base.spec, replicas: -1 },
      { ...base.spec, paused: true },
      { ...base.spec, template: { spec: withImage("<é&>") } },
      { ...base.spec, template: { spec: { containers: [{ name: "c", image: "i", args: [""] }] } } },
      {
        ...base.spec,
        template: { spec: { containers: [...withImage("i").containers, ...withImage("i").containers] } }
      },
      { ...base.spec, selector: { matchLabels: { "<é&>": "1" } } }
    ])
      assert.isTrue(texts.has(JSON.stringify({ spec })), JSON.stringify(spec))
  })
})

describe("a place in an object", () => {
  const type = { type: "message", message: wireTypeOf("Pod") } as const
  const pod = { spec: { containers: [{ name: "c" }] } }

  it("is each field of it, present or absent, however deep", () => {
    const paths = placesIn(pod, type).map(({ path }) => path.join("."))
    for (const path of ["metadata", "spec.containers", "spec.containers.0.name", "spec.containers.0.resources"])
      assert.include(paths, path)
    assert.notInclude(paths, "metadata.name")
  })

  it("has another value, or none", () => {
    const path = ["spec", "containers", 0, "name"]
    assert.deepStrictEqual(withValue(pod, path, 1), { spec: { containers: [{ name: 1 }] } })
    assert.deepStrictEqual(withValue(pod, path, undefined), { spec: { containers: [{}] } })
  })
})

describe("an object in protobuf", () => {
  const field = (number: number, bytes: Buffer) => Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes])
  const enveloped = (...fields: ReadonlyArray<Buffer>) =>
    Buffer.concat([Buffer.from("k8s\0"), field(2, Buffer.concat(fields))])
  const text = (value: string) => Buffer.from(value)

  it("is a tree in each event of a watch", () => {
    const event = (...fields: ReadonlyArray<Buffer>) => {
      const bytes = Buffer.concat([field(1, text("ADDED")), field(2, field(1, enveloped(...fields)))])
      return Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
    }
    const shown = { 1: ["ADDED"], 2: [{ 1: [{ 2: [{ 1: ["a"] }] }] }] }
    const events = Buffer.concat([event(field(1, text("a"))), event(field(1, text("a")), field(2, text("")))])
    assert.deepStrictEqual(protobufEvents(events), [shown, shown])
    assert.isUndefined(protobufEvents(events.subarray(0, -1)))
  })

  it("is a tree without zeros and revisions", () => {
    assert.deepStrictEqual(protobufTree(enveloped(field(1, field(1, text("a"))), field(2, text("")))), {
      2: [{ 1: [{ 1: ["a"] }] }]
    })
    assert.deepStrictEqual(protobufTree(enveloped(field(6, text("1234")))), { 2: [{ 6: ["<RV>"] }] })
    assert.isUndefined(protobufTree(Buffer.from("{}")))
  })
})

describe("a strategic patch", () => {
  it("has each directive somewhere, and is otherwise the object", () => {
    const random = new Random(3)
    const type = { type: "message", message: wireTypeOf("Pod") } as const
    const pod = { spec: { containers: [{ name: "c" }] }, metadata: { finalizers: ["a/b"] } }
    const made = Array.from({ length: 200 }, () => JSON.stringify(withDirectives(random, pod, type))).join()
    for (const directive of [
      "$patch",
      "$retainKeys",
      "$setElementOrder/containers",
      "$deleteFromPrimitiveList/finalizers"
    ])
      assert.include(made, `"${directive}":`)
  })
})

describe("answers", () => {
  const answer = (body: Reduced["body"], code = 200): Reduced => ({
    body,
    code,
    type: "application/json",
    warnings: []
  })
  const status = (message: string, code: number) => answer({ kind: "Status", message, code }, code)

  it("are equal whatever the order of their fields", () => {
    assert.isUndefined(difference(answer({ a: 1, b: { c: 2, d: 3 } }), answer({ b: { d: 3, c: 2 }, a: 1 })))
  })

  it("are of one class where only quoted values and numbers differ", () => {
    const first = difference(status('pods "a" not found', 404), status('line 3 of "b" is bad', 400))
    const second = difference(status('pods "xyz" not found', 404), status('line 12 of "" is bad', 400))
    assert.strictEqual(first, '404 pods "…" not found → 400 line 0 of "…" is bad')
    assert.strictEqual(second, first)
  })

  it("of several errors are compared in order, but for those at the keys of one map", () => {
    const refusal = (...fields: ReadonlyArray<string>) => {
      const causes = fields.map((field) => ({ reason: "FieldValueInvalid", message: "bad", field }))
      const body = { kind: "Status", message: fields.join(), details: { causes }, code: 422 }
      const bytes = Buffer.from(JSON.stringify(body))
      const headers = { "content-type": "application/json" }
      return reduced({ status: 422, headers, valuesOf: () => [], body: bytes }, "https://127.0.0.1:1", 0)
    }
    assert.isUndefined(difference(refusal("a[x]", "a[y]", "b"), refusal("a[y]", "a[x]", "b")))
    assert.isDefined(difference(refusal("a[x]", "b"), refusal("b", "a[x]")))
  })

  const reducedOf = (body: object, code = 200) => {
    const headers = { "content-type": "application/json" }
    return reduced(
      { status: code, headers, valuesOf: () => [], body: Buffer.from(JSON.stringify(body)) },
      "https://127.0.0.1:1",
      0
    )
  }

  it("are equal whatever the revisions that a refused precondition names", () => {
    const refusal = (record: number, given = 1, what = "record") =>
      reducedOf(
        {
          kind: "Status",
          message: `the ResourceVersion in the precondition (${given}) does not match the ResourceVersion in ${what} (${record}).`
        },
        409
      )
    assert.isUndefined(difference(refusal(7), refusal(900)))
    assert.isUndefined(difference(refusal(7), refusal(7, 2)))
    assert.isDefined(difference(refusal(7), refusal(7, 1, "store")))
  })

  it("are equal whatever the end of a generated name", () => {
    const refusal = (name: string) =>
      withoutSuffix(reducedOf({ kind: "Status", details: { name } }, 422), { metadata: { generateName: "a." } })
    assert.isUndefined(difference(refusal("a.bcdfg"), refusal("a.zzzzz")))
    assert.isDefined(difference(refusal("a.bcdfg"), refusal("b.bcdfg")))
  })

  it("are equal whatever the order of the managers, but not whatever they own", () => {
    const owned = (...managers: ReadonlyArray<string>) =>
      reducedOf({ metadata: { managedFields: managers.map((manager) => ({ manager })) } })
    assert.isUndefined(difference(owned("a", "b"), owned("b", "a")))
    assert.isDefined(difference(owned("a", "b"), owned("a")))
  })

  it("name the field that differs", () => {
    const found = difference(answer({ spec: { ports: [{ a: 1 }] } }), answer({ spec: { ports: [{ a: true }] } }))
    assert.strictEqual(found, "body .spec.ports[].a: 0 | true")
  })
})

describe("revisions", () => {
  it("tell whether an answer shows a newer object than the one before", () => {
    const revisions = new Revisions()
    const object = (resourceVersion: string) => ({ metadata: { uid: "u", resourceVersion } })
    assert.isUndefined(revisions.isNewer(object("5")))
    assert.isFalse(revisions.isNewer(object("5")))
    assert.isTrue(revisions.isNewer(object("6")))
    assert.isUndefined(revisions.isNewer({ kind: "Status", metadata: {} }))
  })
})
