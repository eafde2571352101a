import { assert, describe, it } from "@effect/vitest"
import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import { readYaml } from "@rollcall/yaml"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decodeBody } from "../../../src/http/codec/decodeBody.ts"
import { decodePatch } from "../../../src/http/codec/decodePatch.ts"
import { startServer, wallClock } from "../startServer.ts"

const type = wireTypeOfGvk({ group: "", version: "v1", kind: "ConfigMap" }) as MessageType
const configMap = { group: "", version: "v1", kind: "ConfigMap", type }
const anyMessage: MessageType = { ...type, fields: new Map(), preserveUnknown: true }

const read = (text: string, contentType = "application/json", expected = configMap) =>
  decodeBody({ contentType, bytes: Buffer.from(text), expected, fieldValidation: "Warn" })
const objectOf = (text: string, contentType?: string, expected?: typeof configMap) =>
  Result.getOrThrow(read(text, contentType, expected)).object
const failureOf = <A>(result: Result.Result<A, { readonly message?: string }>): string =>
  Result.isFailure(result) ? (result.failure.message ?? "") : "none"
const yamlFailure = (text: string): string => {
  const result = readYaml(text)
  return Result.isFailure(result) ? result.failure : "none"
}

describe("halves of surrogate pairs", () => {
  it("become U+FFFD in JSON, in keys and values, and pairs stay", () => {
    const body = '{"data":{"\\ud800k":"\\uDC00\\ud83d\\ude00\\ud83d","b":"\\\\ud800","c":"\\ud800\\ud800\\udc00"}}'
    assert.deepStrictEqual(objectOf(body).data, {
      "\ufffdk": "\ufffd\u{1f600}\ufffd",
      b: "\\ud800",
      c: "\ufffd\u{10000}"
    })
    // An unknown field lets the careful reader read.
    assert.deepStrictEqual(objectOf('{"x":1,"data":{"a":"\\udfff"}}').data, { a: "\ufffd" })
    const patch = decodePatch({
      contentType: "application/merge-patch+json",
      bytes: Buffer.from('{"data":{"\\udbff":"\\ud800"}}'),
      fieldValidation: "Strict"
    })
    assert.deepStrictEqual(Result.getOrThrow(patch).patch, { data: { "\ufffd": "\ufffd" } })
  })

  it("are refused in YAML, even in pairs, and invalid UTF-8 becomes U+FFFD", () => {
    const refusal = "found invalid Unicode character escape code"
    assert.strictEqual(yamlFailure('"\\ud800": 1'), `yaml: ${refusal}`)
    assert.strictEqual(yamlFailure('a: 1\nb: "\\\\\\ud83d\\ude00"'), `yaml: line 2: ${refusal}`)
    assert.deepStrictEqual(Result.getOrThrow(readYaml('a: "\\\\ud800"')).value, { a: "\\ud800" })
    const bytes = Buffer.concat([Buffer.from('{"data":{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}}')])
    const decoded = decodeBody({ contentType: undefined, bytes, expected: configMap, fieldValidation: "Strict" })
    assert.deepStrictEqual(Result.getOrThrow(decoded).object.data, { a: "\ufffd\ufffd\ufffd" })
  })
})

describe("nesting", () => {
  const nested = (depth: number, open = '{"a":', close = "}") => `${open.repeat(depth)}1${close.repeat(depth)}`

  it("is limited in every form of body", () => {
    assert.isTrue(Result.isSuccess(read(nested(500), undefined, { ...configMap, type: anyMessage })))
    for (const depth of [501, 5000, 300_000]) {
      assert.include(
        failureOf(read(nested(depth), undefined, { ...configMap, type: anyMessage })),
        "exceeded max depth"
      )
      const lists = failureOf(read(nested(depth, "[", "]")))
      if (depth <= 10_000) assert.include(lists, "cannot unmarshal array")
      else
        assert.include(lists, "couldn't get version/kind; json parse error: invalid character '[' exceeded max depth")
      for (const form of ["json-patch", "merge-patch", "strategic-merge-patch"]) {
        const bytes = Buffer.from(form === "json-patch" ? `[${nested(depth)}]` : nested(depth))
        const patch = decodePatch({ contentType: `application/${form}+json`, bytes, fieldValidation: "Strict" })
        assert.include(failureOf(patch), "exceeded max depth")
      }
      assert.include(yamlFailure(nested(depth, "{a: ", "}")), "exceeded max depth")
      const limit = depth > 10_000 ? "10000" : "500"
      assert.include(yamlFailure(nested(depth, "[", "]")), `exceeded max depth of ${limit}`)
    }
    const aliases = Array.from({ length: 600 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}]\n`)
    assert.match(yamlFailure(`l0: &l0 [x]\n${aliases.join("")}`), /exceeded max depth|excessive aliasing/)
  })

  it.live("is refused as a bad request, never as an internal error", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const path = "/api/v1/namespaces/default/configmaps"
      yield* ask("POST", path, { body: { metadata: { name: "a" } } })
      const deep = nested(20_000)
      const patch = (type: string, body: string) =>
        Effect.map(
          ask("PATCH", `${path}/a?fieldManager=kubectl`, { headers: { "content-type": type }, body }),
          ({ code }) => code
        )
      assert.strictEqual((yield* ask("POST", path, { body: deep })).code, 400)
      assert.strictEqual(yield* patch("application/merge-patch+json", deep), 400)
      assert.strictEqual(yield* patch("application/strategic-merge-patch+json", deep), 400)
      assert.strictEqual(
        yield* patch("application/json-patch+json", `[{"op":"add","path":"/data","value":${deep}}]`),
        400
      )
      assert.strictEqual(yield* patch("application/apply-patch+yaml", deep), 400)
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": nested(20_000, "[", "]") }
      yield* ask("PUT", `${path}/a`, { body: { metadata: { name: "a", annotations }, data: { k: "v" } } })
      const applied = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "w" } })
      assert.strictEqual(yield* patch("application/apply-patch+yaml", applied), 409)
      const fieldsV1 = { [`v:${nested(20_000, "[", "]")}`]: {} }
      const entry = { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 }
      const fields = { metadata: { name: "b", managedFields: [entry] } }
      assert.strictEqual((yield* ask("POST", path, { body: fields })).code, 201)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
