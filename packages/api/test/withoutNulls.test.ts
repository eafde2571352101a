import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type FieldType, type MessageType, parsedWithoutNulls, wireTypes } from "../src/wire/index.ts"
import { objectWithoutNulls, withoutNulls } from "../src/wire/withoutNulls.ts"

const isContainer = ({ type }: FieldType): boolean => type.type === "list" || type.type === "map"

const emptyOf = ({ type }: FieldType): unknown => (type.type === "list" ? [] : {})

const read = (type: MessageType, field: string, value: unknown): unknown =>
  withoutNulls(type, { [field]: value })[field]

const holdsNull = (value: unknown): boolean =>
  value === null || (typeof value === "object" && value !== null && Object.values(value).some(holdsNull))

const allTypes = [...wireTypes()]
const isFree = ({ type }: FieldType) => type.type === "scalar" && type.scalar === "any"

describe("nulls of a response", () => {
  it("become empty lists and maps where Go writes null, and are removed elsewhere, in every message", () => {
    let required = 0
    for (const type of allTypes) {
      for (const field of type.fields.values()) {
        if (!isContainer(field)) continue
        const { name, omitEmpty } = field
        if (!omitEmpty) required++
        assert.deepStrictEqual(
          read(type, name, null),
          omitEmpty ? undefined : emptyOf(field),
          `${type.fullName}.${name}`
        )
        assert.strictEqual(name in withoutNulls(type, { [name]: null }), !omitEmpty)
      }
    }
    assert.isAbove(required, 20)
  })

  it("leave no field null, whatever its type, but for JSON without a type", () => {
    for (const type of allTypes) {
      for (const field of type.fields.values()) {
        if (isFree(field)) assert.isNull(read(type, field.name, null))
        else assert.isFalse(holdsNull(read(type, field.name, null)), `${type.fullName}.${field.name}`)
      }
    }
  })

  it("are converted within lists, maps and messages of every message", () => {
    for (const type of allTypes) {
      for (const { name, type: of } of type.fields.values()) {
        const items = of.type === "list" ? of.items : of.type === "map" ? of.values : undefined
        if (items === undefined || (items.type === "scalar" && ["any", "RawExtension"].includes(items.scalar))) continue
        const put = (value: unknown) => (of.type === "list" ? [value] : { key: value })
        const [element] = Object.values(read(type, name, put(null)) as object)
        if (items.type === "scalar" && ["Time", "MicroTime", "bytes"].includes(items.scalar)) continue
        assert.isFalse(holdsNull(element), `${type.fullName}.${name}`)
        assert.isDefined(element)
        if (items.type !== "message") continue
        for (const inner of items.message.fields.values()) {
          if (!isContainer(inner) || inner.omitEmpty) continue
          const [object] = Object.values(read(type, name, put({ [inner.name]: null })) as object)
          assert.deepStrictEqual(object[inner.name], emptyOf(inner))
        }
      }
    }
  })

  it("are the only change: a value without them is returned itself, and parts without them are shared", () => {
    fc.assert(
      fc.property(fc.constantFrom(...allTypes), fc.dictionary(fc.string(), fc.jsonValue()), (type, extra) => {
        const known = new Set(type.fields.keys())
        const message = Object.fromEntries(Object.entries(extra).filter(([key]) => !known.has(key)))
        assert.strictEqual(withoutNulls(type, message), message)
      })
    )
    const labels = { app: "web" }
    const spec = { containers: [{ name: "c", image: "x" }] }
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels }, spec }
    assert.strictEqual(objectWithoutNulls(pod), pod)
    const odd = { ...pod, metadata: { ...pod.metadata, creationTimestamp: null } }
    const after = objectWithoutNulls(odd) as typeof odd
    assert.deepStrictEqual<unknown>(after, pod)
    assert.strictEqual(after.spec, spec)
    assert.strictEqual(after.metadata.labels, labels)
    assert.isNull(odd.metadata.creationTimestamp)
  })

  it("are converted by kind, also in lists; for an unknown kind only in its metadata", () => {
    assert.deepStrictEqual(
      objectWithoutNulls({ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", endpoints: null, ports: null }),
      { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", endpoints: [], ports: [] } as unknown
    )
    assert.deepStrictEqual(
      objectWithoutNulls({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINodeList",
        metadata: {},
        items: [{ metadata: { creationTimestamp: null }, spec: { drivers: null } }]
      }),
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINodeList",
        metadata: {},
        items: [{ metadata: {}, spec: { drivers: [] } }]
      } as unknown
    )
    assert.deepStrictEqual(objectWithoutNulls({ apiVersion: "v1", kind: "PodList", metadata: null, items: null }), {
      apiVersion: "v1",
      kind: "PodList",
      metadata: {},
      items: []
    } as unknown)
    const dial = { apiVersion: "example.com/v1", kind: "Dial", spec: { at: null } }
    assert.deepStrictEqual(objectWithoutNulls({ ...dial, metadata: { name: "a", labels: null } }), {
      ...dial,
      metadata: { name: "a" }
    } as unknown)
    assert.deepStrictEqual(objectWithoutNulls({ ...dial, metadata: null }), { ...dial, metadata: {} } as unknown)
    assert.deepStrictEqual(objectWithoutNulls({ apiVersion: "example.com/v1", kind: "DialList", items: null }), {
      apiVersion: "example.com/v1",
      kind: "DialList",
      items: []
    } as unknown)
    assert.deepStrictEqual(
      objectWithoutNulls({
        apiVersion: "example.com/v1",
        kind: "DialList",
        items: [{ ...dial, metadata: null }, null]
      }),
      { apiVersion: "example.com/v1", kind: "DialList", items: [{ ...dial, metadata: {} }] } as unknown
    )
  })

  it("are not searched for if the text has none", () => {
    const parsed = { apiVersion: "v1", kind: "Pod", metadata: null }
    assert.strictEqual(parsedWithoutNulls("{}", parsed), parsed)
    assert.notStrictEqual(parsedWithoutNulls('{"metadata":null}', parsed), parsed)
    for (const odd of [undefined, null, 1, "null", [null]]) {
      assert.strictEqual(parsedWithoutNulls(JSON.stringify(odd) ?? "null", odd), odd)
    }
  })
})
