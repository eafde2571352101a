import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type ControllerRevision, kinds } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"
import { decodeJson, decodeValue, wireTypeOf } from "../../src/wire/index.ts"

const type = wireTypeOf("ControllerRevision")

const revisionOf = (data: string): ControllerRevision => {
  const text = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r","namespace":"n","resourceVersion":"1"},"revision":1,"data":${data}}`
  return Result.getOrThrow(decodeJson(type, text)).value as ControllerRevision
}

const faults = (revision: ControllerRevision, old: ControllerRevision) =>
  kinds.ControllerRevision.validation.update(revision, old).map(({ detail, field }) => `${field}: ${detail}`)

describe("the data of a ControllerRevision", () => {
  const immutable = ["data: field is immutable"]

  it("may not change by a blank or by the order of its members", () => {
    const old = revisionOf('{"a": 1,"b":2}')
    assert.deepStrictEqual(faults(revisionOf('{"a": 1,"b":2}'), old), [])
    assert.deepStrictEqual(faults(revisionOf('{"a":1,"b":2}'), old), immutable)
    assert.deepStrictEqual(faults(revisionOf('{"b":2,"a":1}'), revisionOf('{"a":1,"b":2}')), immutable)
  })

  it("is shown as its text, without blanks", () => {
    const [fault] = kinds.ControllerRevision.validation.update(
      revisionOf('{"b": 2.0, "a":"<\\u0041"}'),
      revisionOf("{}")
    )
    assert.strictEqual(
      fault && fieldErrorText(fault),
      'data: Invalid value: {"b":2.0,"a":"\\u003c\\u0041"}: field is immutable'
    )
  })

  it("is compact after a patch, which is a change of data that were not", () => {
    const patched = (old: ControllerRevision) =>
      Result.getOrThrow(decodeValue(type, { ...old, revision: 9 })).value as ControllerRevision
    const compact = revisionOf('{"a":1}')
    const spaced = revisionOf('{"a": 1}')
    assert.deepStrictEqual(faults(patched(compact), compact), [])
    assert.deepStrictEqual(faults(patched(spaced), spaced), immutable)
  })

  it("is as a Go program writes it if a controller made it, or a store's file had it", () => {
    const made = { ...revisionOf("{}"), data: { a: "x && y" } }
    assert.deepStrictEqual(faults(revisionOf('{"a":"x \\u0026\\u0026 y"}'), made), [])
    assert.deepStrictEqual(faults(revisionOf('{"a":"x && y"}'), made), immutable)
  })
})
