import { assert, describe, it } from "@effect/vitest"
import { type MessageType, wireTypeOf } from "@rollcall/api/wire"
import { openEnvelope, readRaw, writeEnvelope } from "@rollcall/protobuf"
import { writeYaml } from "@rollcall/yaml"
import * as Result from "effect/Result"
import { decodeBody } from "../../../src/http/codec/decodeBody.ts"

const large = ["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"]

const expected = {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  type: wireTypeOf("ControllerRevision")
}

const decode = (text: string, contentType: string) => {
  const bytes = Buffer.from(text)
  return Result.getOrThrow(decodeBody({ contentType, bytes, expected, fieldValidation: "Strict" })).object
}

describe("large integers of bodies", () => {
  it.each(large)("%s has all its digits in JSON, YAML and protobuf", (digits) => {
    const json = `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"revision":${digits},"data":{"a":[${digits}]}}`
    const object = decode(json, "application/json")
    assert.strictEqual(JSON.stringify(object), json)
    const yaml = writeYaml(object)
    assert.include(yaml, `revision: ${digits}\n`)
    assert.deepStrictEqual(decode(yaml, "application/yaml"), object)
    const type = wireTypeOf("ControllerRevision")
    const written = writeEnvelope({ kind: object.kind, apiVersion: object.apiVersion, revision: object.revision })
    const { raw } = Result.getOrThrow(openEnvelope(written ?? new Uint8Array()))
    assert.strictEqual((Result.getOrThrow(readRaw(type, raw)) as { revision: unknown }).revision, BigInt(digits))
  })

  it("refuses a number that no float64 holds, in a custom resource", () => {
    const custom = {
      group: "ex.io",
      version: "v1",
      kind: "Num",
      type: { name: "Num", fields: new Map(), preserveUnknown: true } as unknown as MessageType,
      custom: true
    }
    const bytes = Buffer.from('{"kind":"Num","apiVersion":"ex.io/v1","metadata":{"name":"a"},"spec":{"n":[1E400]}}')
    const result = decodeBody({ contentType: "application/json", bytes, expected: custom, fieldValidation: "Strict" })
    assert.include(
      Result.isFailure(result) ? result.failure.message : "",
      "json: cannot unmarshal number 1E400 into Go value of type float64"
    )
  })
})
