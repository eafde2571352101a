import { assert, describe, it } from "@effect/vitest"
import { type MessageType, wireTypeOf } from "@rollcall/api/wire"
import { openEnvelope, readRaw, writeEnvelope } from "@rollcall/protobuf"
import { runAllSteps } from "@rollcall/time"
import * as Result from "effect/Result"
import { decodeBody } from "../../../src/http/codec/decodeBody.ts"
import { writeYamlInSteps } from "../../../src/http/codec/writeYaml.ts"
import { resolvePlain } from "../../../src/http/codec/yamlScalars.ts"

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
    const yaml = runAllSteps(writeYamlInSteps(object))
    assert.include(yaml, `revision: ${digits}\n`)
    assert.deepStrictEqual(decode(yaml, "application/yaml"), object)
    const type = wireTypeOf("ControllerRevision")
    const written = writeEnvelope({ kind: object.kind, apiVersion: object.apiVersion, revision: object.revision })
    const { raw } = Result.getOrThrow(openEnvelope(written ?? new Uint8Array()))
    assert.strictEqual((Result.getOrThrow(readRaw(type, raw)) as { revision: unknown }).revision, BigInt(digits))
  })

  it.each([
    ["0x20000000000001", 9007199254740993n],
    ["-0b11", -3],
    ["9223372036854775808", 2 ** 63],
    ["9_007_199_254_740_993", 9007199254740993n]
  ])("reads %s in YAML", (text, value) => assert.strictEqual(resolvePlain(text), value))

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
