import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { holdsEmpties, markedLike, withoutEmpties } from "../../src/wire/empties.ts"
import { decodeJson, decodeValue, type MessageType, wireTypeOf } from "../../src/wire/index.ts"

const pod = wireTypeOf("Pod")
const read = (value: unknown, type: MessageType = pod, structural = false) =>
  Result.getOrThrow(decodeJson(type, JSON.stringify(value), undefined, { structural })).value as object
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const given = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p", labels: {}, finalizers: [] },
  spec: {
    nodeSelector: {},
    tolerations: [],
    securityContext: {},
    containers: [{ name: "c", args: [], env: [{ name: "A" }], resources: { limits: {} } }],
    volumes: [{ name: "v", emptyDir: {} }]
  }
}
const written = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p" },
  spec: {
    securityContext: {},
    containers: [{ name: "c", env: [{ name: "A" }], resources: {} }],
    volumes: [{ name: "v", emptyDir: {} }]
  }
}

/** The same object once as the quick check accepts it, and once as only the reader does. */
const forms: ReadonlyArray<readonly [name: string, decode: () => object]> = [
  ["as Go writes the rest", () => read(given)],
  ["with a null", () => read({ ...given, spec: { ...given.spec, hostname: null } })],
  ["as a value", () => Result.getOrThrow(decodeValue(pod, given)).value as object]
]

describe("empty lists and maps", () => {
  for (const [name, decode] of forms) {
    it(`are kept by the decoder, and dropped where Go writes: ${name}`, () => {
      const decoded = decode()
      assert.deepStrictEqual(json(decoded), { ...given, status: {} })
      assert.isTrue(holdsEmpties(decoded))
      const dropped = withoutEmpties(decoded)
      assert.deepStrictEqual(json(dropped), { ...written, status: {} })
      assert.isFalse(holdsEmpties(dropped))
      assert.strictEqual(withoutEmpties(dropped), dropped)
    })
  }

  it("mark the object and its copies, but not what is given as Go writes it", () => {
    assert.isFalse(holdsEmpties(read(written)))
    const decoded = read(given)
    assert.isTrue(holdsEmpties({ ...decoded, spec: {} }))
    assert.isTrue(holdsEmpties(markedLike(decoded, { kind: "Pod" })))
    assert.isFalse(holdsEmpties(markedLike(read(written), { kind: "Pod" })))
    assert.deepStrictEqual(Object.keys(decoded).sort(), ["apiVersion", "kind", "metadata", "spec", "status"])
  })

  it("share the parts that hold none", () => {
    const decoded = read({ ...given, metadata: { name: "p" } }) as typeof given
    const dropped = withoutEmpties(decoded)
    assert.strictEqual(dropped.metadata, decoded.metadata)
    assert.strictEqual(dropped.spec.volumes, decoded.spec.volumes)
    assert.strictEqual(dropped.spec.containers[0]?.env, decoded.spec.containers[0]?.env)
  })

  it("are dropped from the metadata of a custom resource at once, and kept elsewhere", () => {
    const metadata = pod.fields.get("metadata")
    assert.isDefined(metadata)
    const type = { ...pod, fields: new Map([["metadata", metadata]]), preserveUnknown: true } as MessageType
    const decoded = read(
      { kind: "Pod", apiVersion: "v1", metadata: { name: "p", labels: {} }, spec: { a: [] } },
      type,
      true
    )
    assert.deepStrictEqual(json(decoded), { kind: "Pod", apiVersion: "v1", metadata: { name: "p" }, spec: { a: [] } })
    assert.isFalse(holdsEmpties(decoded))
  })

  it("keep an empty managedFields, which is a request, where the server looks for it, and drop it elsewhere", () => {
    const decoded = read({ ...written, metadata: { name: "p", managedFields: [] } })
    assert.deepInclude(json(decoded), { metadata: { name: "p", managedFields: [] } })
    assert.deepInclude(json(withoutEmpties(decoded)), { metadata: { name: "p" } })
    const template = { metadata: { managedFields: [] }, spec: { containers: [] } }
    const templated = read({ kind: "PodTemplate", apiVersion: "v1", template }, wireTypeOf("PodTemplate"))
    assert.deepInclude(json(withoutEmpties(templated)), { template: { metadata: {}, spec: { containers: [] } } })
  })

  it("keep an empty managedFields in the metadata of a custom resource", () => {
    const fields = new Map([...pod.fields].filter(([name]) => name === "metadata"))
    const type: MessageType = { ...pod, fields, preserveUnknown: true }
    const decoded = read({ ...written, metadata: { name: "p", managedFields: [], labels: {} } }, type, true)
    assert.deepInclude(json(decoded), { metadata: { name: "p", managedFields: [] } })
  })
})
