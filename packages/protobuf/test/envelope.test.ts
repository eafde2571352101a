import { assert, describe, it } from "@effect/vitest"
import { holdsEmpties, rememberOwned, rememberText, wireTypeOfGvk, wireTypes, withoutEmpties } from "@rollcall/api/wire"
import { runAllSteps } from "@rollcall/time"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { goString, isLongList, openEnvelope, readRaw, writeEnvelope, writeListEnvelopeInSteps } from "../src/index.ts"

const written = (object: unknown): Uint8Array => {
  const bytes = writeEnvelope(object)
  if (bytes === undefined) throw new Error("no protobuf form")
  return bytes
}

const read = (bytes: Uint8Array): Result.Result<object, string> =>
  Result.flatMap(openEnvelope(bytes), ({ apiVersion, kind, raw }) => {
    const [version = "", group = ""] = apiVersion.split("/").toReversed()
    const type = wireTypeOfGvk({ group, version, kind })
    return type === undefined
      ? Result.fail(`no kind ${kind}`)
      : Result.map(readRaw(type, raw), (fields) => ({ apiVersion, kind, ...fields }))
  })

const pod = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], ...more }
})

describe("an object", () => {
  it("is read as it was written", () => {
    const given = pod("p", { terminationGracePeriodSeconds: 0, nodeSelector: {}, activeDeadlineSeconds: 1234567890123 })
    const { spec } = Result.getOrThrow(read(written(given))) as typeof given
    const numbers: object = { terminationGracePeriodSeconds: 0, activeDeadlineSeconds: 1234567890123 }
    assert.deepInclude(spec as object, numbers)
    assert.deepInclude(spec.containers[0], { name: "c", ports: [{ containerPort: 80 }] })
  })

  it("has its maps sorted, as Go writes them", () => {
    const withLabels = (labels: object) => ({ ...pod("p"), metadata: { name: "p", labels } })
    const sorted = { "a.io": "1", b: "2", xx: "3" }
    const turned = { xx: "3", b: "2", "a.io": "1" }
    assert.deepStrictEqual(written(withLabels(turned)), written(withLabels(sorted)))
    const { metadata } = Result.getOrThrow(read(written(withLabels(turned)))) as { metadata: { labels: object } }
    assert.deepStrictEqual(Object.keys(metadata.labels), Object.keys(sorted))
  })

  it("can have an object of another kind inside", () => {
    const data = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }
    const revision = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { name: "r" }, data, revision: 2 }
    assert.deepInclude(Result.getOrThrow(read(written(revision))), { data, revision: 2 })
    assert.deepInclude(Result.getOrThrow(read(written({ ...revision, data: {} }))), { data: {} })
  })

  it("keeps the text of an object inside", () => {
    const textOf = (object: unknown) => Buffer.from(written(object)).toString("latin1")
    const data = { a: 1 }
    rememberText(data, '{"a": 1}')
    const revision = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { name: "r" }, data, revision: 2 }
    assert.include(textOf(revision), '{"a": 1}')
    assert.include(textOf(Result.getOrThrow(read(written(revision)))), '{"a": 1}')
    assert.include(textOf({ ...revision, data: { a: 1 } }), '{"a":1}')
  })

  it("keeps the fields that a manager owns, also none, as the text that they came as", () => {
    const [none, some] = [{}, { "f:a": {} }]
    rememberOwned(some, '{"f:a": {}}')
    const managedFields = [{ fieldsV1: none }, { fieldsV1: some }]
    const bytes = written({ ...pod("p"), metadata: { name: "p", managedFields } })
    const { metadata } = Result.getOrThrow(read(bytes)) as ReturnType<typeof pod>
    assert.deepStrictEqual(metadata as object, { name: "p", managedFields })
    const again = written({ ...pod("p"), metadata })
    assert.include(Buffer.from(again).toString("latin1"), '{"f:a": {}}')
  })

  it("has no protobuf form if its kind is not one of the API", () => {
    assert.isUndefined(writeEnvelope({ apiVersion: "example.com/v1", kind: "Dial", metadata: { name: "d" } }))
  })
})

describe("bytes that are no message", () => {
  const faultOf = (...raw: ReadonlyArray<number>) =>
    Result.match(readRaw(podType(), Uint8Array.from(raw)), { onSuccess: () => "none", onFailure: (why) => why })
  const podType = () => {
    const type = wireTypeOfGvk({ group: "", version: "v1", kind: "Pod" })
    if (type === undefined) throw new Error("no type")
    return type
  }

  it("are refused in Go's words, which name its types and fields", () => {
    assert.deepStrictEqual(
      [
        faultOf(0x0c),
        faultOf(0x02, 0),
        faultOf(0x0a, 1, 0x0c),
        faultOf(0x08, 1),
        faultOf(0x0a, 2, 0x28, 0),
        faultOf(0x7e),
        faultOf(0x7b, 0x7c),
        faultOf(0x7b)
      ],
      [
        "proto: Pod: wiretype end group for non-group",
        "proto: Pod: illegal tag 0 (wire type 2)",
        "proto: ObjectMeta: wiretype end group for non-group",
        "proto: wrong wireType = 0 for field ObjectMeta",
        "proto: wrong wireType = 0 for field UID",
        "proto: illegal wireType 6",
        "none",
        "unexpected EOF"
      ]
    )
  })

  it("may be entries of a map of any wire type, whose values run on", () => {
    const labels = (...entry: ReadonlyArray<number>) => {
      const metadata = [0x5a, entry.length, ...entry, 0x12, 1, 0x7a]
      return readRaw(podType(), Uint8Array.from([0x0a, metadata.length, ...metadata]))
    }
    const labelsOf = (...entry: ReadonlyArray<number>) =>
      Result.map(labels(...entry), ({ metadata }) => (metadata as { readonly labels?: unknown }).labels)
    assert.deepStrictEqual(labelsOf(0x08, 1, 0x61, 0x17, 1, 0x62), Result.succeed({ a: "b" }))
    assert.deepStrictEqual(labelsOf(0x0a, 1, 0x61, 0x12, 2, 0x62), Result.succeed({ a: "b\u0012" }))
    assert.deepStrictEqual(labelsOf(0x0a, 1, 0x61, 0x12, 9, 0x62), Result.fail("unexpected EOF"))
    assert.strictEqual(faultOf(0x0a, 4, 0x42, 2, 0x02, 0), "proto: Timestamp: illegal tag 0 (wire type 2)")
  })

  it("may be no JSON where Go keeps text", () => {
    const metadata = [0x0a, 6, 0x8a, 1, 3, 0x3a, 1, 0]
    assert.strictEqual(faultOf(...metadata), "proto: FieldsV1: illegal tag 0 (wire type 0)")
    assert.strictEqual(faultOf(0x0a, 9, 0x8a, 1, 6, 0x3a, 4, 0x0a, 2, 0x7b, 0x7b), "none")
  })
})

describe("a string", () => {
  const text = (...bytes: ReadonlyArray<number>) => goString(Uint8Array.from(bytes))

  it("is UTF-8, and any other byte itself", () => {
    assert.strictEqual(goString(Buffer.from("aé\u{1f600}\ufffd")), "aé\u{1f600}\ufffd")
    assert.strictEqual(text(0x4d, 0xe9, 0x74), "M\udce9t")
    assert.strictEqual(text(0xc3, 0xa9, 0xff, 0xc3), "é\udcff\udcc3")
    assert.strictEqual(text(0xed, 0xa0, 0x80), "\udced\udca0\udc80")
  })

  it("is in a message until the object is written", () => {
    const bytes = written({ ...pod("p"), metadata: { name: "p", annotations: { k: "v*" } } })
    bytes[bytes.indexOf(0x2a)] = 0xe9
    const annotations = (object: object) => (object as { readonly metadata: object }).metadata
    const object = Result.getOrThrow(read(bytes))
    assert.deepStrictEqual(annotations(object), { name: "p", annotations: { k: "v\udce9" } })
    assert.deepStrictEqual(annotations(withoutEmpties(object)), { name: "p", annotations: { k: "v\ufffd" } })
    assert.isFalse(holdsEmpties(Result.getOrThrow(read(written(pod("p\ufffd"))))))
  })

  it("are no version where Go cannot read them as one", () => {
    const versionOf = (digit: number) => {
      const bytes = written({ apiVersion: "apps/v1", kind: "Deployment", metadata: {} })
      bytes[bytes.indexOf(0x2f) + 1] = digit
      return Result.getOrThrow(openEnvelope(bytes)).apiVersion
    }
    assert.deepStrictEqual([versionOf(0x77), versionOf(0x2f)], ["apps/w1", ""])
  })

  it("names the kind of a body", () => {
    const bytes = written(pod("p"))
    bytes[bytes.indexOf(0x50)] = 0xe9
    assert.strictEqual(Result.getOrThrow(openEnvelope(bytes)).kind, "\udce9od")
  })
})

describe("a long list", () => {
  it("is written in steps to what one step writes", () => {
    const items = Array.from({ length: 1000 }, (_, index) => pod(`p${index}`))
    const list = { apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "7" }, items }
    assert.isTrue(isLongList(list))
    assert.isFalse(isLongList({ ...list, items: items.slice(0, 10) }))
    assert.deepStrictEqual(
      new Uint8Array(runAllSteps(writeListEnvelopeInSteps(list)) ?? []),
      new Uint8Array(written(list))
    )
  })
})

describe("bytes of others", () => {
  it("are refused with a message", () => {
    assert.deepStrictEqual(openEnvelope(new Uint8Array()), Result.fail("empty data"))
    assert.deepStrictEqual(openEnvelope(Uint8Array.of(0x6b, 0x38, 0x73, 0)), Result.fail("empty body"))
    assert.isTrue(Result.isFailure(openEnvelope(Buffer.from("{}"))))
  })

  it("never throw, whatever kind they claim to be", () => {
    const kinds = [...wireTypes()].filter(({ gvk }) => gvk !== undefined)
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.uint8Array({ maxLength: 60 }), (type, raw) => {
        const result = readRaw(type, raw)
        assert.isTrue(Result.isSuccess(result) || result.failure.length > 0)
      })
    )
    const bytes = written(pod("p"))
    for (let at = 4; at < bytes.length; at++) read(bytes.subarray(0, at))
  })
})
