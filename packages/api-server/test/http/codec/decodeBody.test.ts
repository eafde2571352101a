import { assert, describe, it } from "@effect/vitest"
import { type MessageType, wireTypeOfGvk } from "@rollcall/api/wire"
import { messageOf } from "@rollcall/structural-schema"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { decodeBody, type FieldValidation } from "../../../src/http/codec/decodeBody.ts"
import { decodePatch } from "../../../src/http/codec/decodePatch.ts"
import { encodeBody } from "../../../src/http/codec/encodeBody.ts"

const typeOf = (group: string, kind: string): MessageType => {
  const type = wireTypeOfGvk({ group, version: "v1", kind })
  if (type === undefined) throw new Error(kind)
  return type
}

const configMap = { group: "", version: "v1", kind: "ConfigMap", type: typeOf("", "ConfigMap") }

const read = (text: string, contentType?: string, fieldValidation: FieldValidation = "Strict", expected = configMap) =>
  decodeBody({ contentType, bytes: Buffer.from(text), expected, fieldValidation })

const refusal = (...given: Parameters<typeof read>) => {
  const result = read(...given)
  return Result.isFailure(result) ? result.failure : { code: 0, message: "none", reason: "" }
}
const message = (...given: Parameters<typeof read>) => refusal(...given).message
const object = (...given: Parameters<typeof read>) => Result.getOrThrow(read(...given)).object

const UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): "

describe("JSON", () => {
  it("may omit what the URL says", () => {
    assert.deepStrictEqual(object('{"metadata":{"name":"a"}}'), {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a" }
    })
    assert.deepStrictEqual(object("null", "application/json; charset=utf-8"), {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {}
    })
  })

  it("is refused when it is invalid", () => {
    const parse = `${UNRECOGNIZED}couldn't get version/kind; json parse error: `
    assert.strictEqual(message(""), `${parse}unexpected end of JSON input (<empty>)`)
    assert.strictEqual(message("\n{"), `${parse}unexpected end of JSON input (0a7b)`)
    const long = `{"a":"${"x".repeat(40)}`
    assert.strictEqual(message(long), `${parse}unexpected end of JSON input (${long.slice(0, 30)} ...)`)
    assert.strictEqual(
      message('{"kind":5}'),
      `${parse}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`
    )
    assert.strictEqual(
      message('{"apiVersion":"a/b/c"}'),
      `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`
    )
  })

  it("is refused for another kind", () => {
    assert.strictEqual(
      message('{"kind":"Zork"}'),
      'Zork in version "v1" cannot be handled as a ConfigMap: no kind "Zork" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"'
    )
    assert.strictEqual(
      message('{"kind":"Lease","apiVersion":"coordination.k8s.io/v1"}'),
      'Lease in version "v1" cannot be handled as a ConfigMap: converting (v1.Lease) to (core.ConfigMap): unknown conversion'
    )
    const event = { group: "", version: "v1", kind: "Event", type: typeOf("", "Event") }
    assert.strictEqual(
      message('{"kind":"Event","apiVersion":"events.k8s.io/v1"}', undefined, "Strict", event),
      "the API version in the data (events.k8s.io/v1) does not match the expected API version (v1)"
    )
  })

  it("is checked as strictly as the client requests", () => {
    const text = '{"dat":{},"dat":1,"data":{"a":"1","a":"2"}}'
    const found = ['unknown field "dat"', 'duplicate field "data.a"']
    assert.strictEqual(
      message(text),
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${found.join(", ")}`
    )
    assert.deepStrictEqual(Result.getOrThrow(read(text, undefined, "Warn")).warnings, found)
    assert.deepStrictEqual(Result.getOrThrow(read(text, undefined, "Ignore")).warnings, [])
  })

  it("options of a DELETE have plain error messages", () => {
    const expected = { group: "", version: "v1", kind: "DeleteOptions", type: typeOf("", "DeleteOptions") }
    const options = (text: string) =>
      decodeBody({
        contentType: undefined,
        bytes: Buffer.from(text),
        expected,
        fieldValidation: "Ignore",
        options: true
      })
    const bad = options("{bad}")
    assert.strictEqual(
      Result.isFailure(bad) ? bad.failure.message : "",
      "couldn't get version/kind; json parse error: invalid character 'b' looking for beginning of object key string"
    )
    const other = options('{"kind":"DeleteOptions","apiVersion":"policy/v1","gracePeriodSeconds":7}')
    assert.deepInclude(Result.getOrThrow(other).object, { gracePeriodSeconds: 7 })
  })

  it("other versions are accepted if they are served", () => {
    const expected = { group: "policy", version: "v1", kind: "Eviction", type: typeOf("policy", "Eviction") }
    const alsoAccepted = [{ group: "policy", version: "v1beta1", kind: "Eviction" }]
    const bytes = Buffer.from('{"kind":"Eviction","apiVersion":"policy/v1beta1","metadata":{"name":"p"}}')
    const result = decodeBody({ contentType: undefined, bytes, expected, fieldValidation: "Strict", alsoAccepted })
    assert.deepInclude(Result.getOrThrow(result).object, { apiVersion: "policy/v1beta1" })
  })
})

describe("media types", () => {
  it("are read without parameters, which must be well-formed", () => {
    const json = "application/json"
    for (const rest of ["", ";", " ; charset=utf-8", ';as="a, \\"b";v=v1', ";q=1;Q=1;"]) {
      assert.strictEqual(refusal("{}", `${json}${rest}`).code, 0, rest)
    }
    for (const rest of [",text/plain", ";q=0.1,application/yaml;q=0.9", ";;", ";q", ";q=", ";q=1;Q=2", ';q="a']) {
      assert.strictEqual(refusal("{}", `${json}${rest}`).code, 415, rest)
    }
  })

  it("others are refused", () => {
    assert.deepInclude(refusal("x", "text/plain"), { code: 415, reason: "UnsupportedMediaType" })
  })

  it("custom resources say their kind and version, and have metadata of Go's types", () => {
    const gvk = { group: "example.com", version: "v1", kind: "Dial" }
    const spec = { type: "object", "x-kubernetes-embedded-resource": true }
    const expected = { ...gvk, custom: true, type: messageOf(gvk, { type: "object", properties: { spec } }) }
    const typed = { apiVersion: "example.com/v1", kind: "Dial" }
    const refused = (body: object | null): string =>
      failureOf(decodeBody({ ...request, bytes: Buffer.from(JSON.stringify(body)) })) ?? ""
    const request = { contentType: undefined, expected, fieldValidation: "Warn" as const }
    const failureOf = (result: ReturnType<typeof decodeBody>) =>
      Result.isFailure(result) ? result.failure.message : ""
    assert.match(refused(null), /: Object 'Kind' is missing in 'null' \(6e756c6c\)$/)
    assert.match(
      refused({ apiVersion: "example.com/v1" }),
      /: Object 'Kind' is missing in '\{"apiVersion":"example.com/
    )
    assert.strictEqual(
      refused({ kind: "Dial" }),
      "the API version in the data () does not match the expected API version (example.com/v1)"
    )
    assert.strictEqual(
      refused({ apiVersion: null, kind: "Dial" }),
      'Dial in version "" cannot be handled as a Dial: .apiVersion accessor error: <nil> is of the type <nil>, expected string'
    )
    const cannot = 'Dial in version "v1" cannot be handled as a Dial: '
    const name = "json: cannot unmarshal bool into Go struct field ObjectMeta.name of type string"
    assert.strictEqual(refused({ ...typed, metadata: { name: true } }), `${cannot}${name}`)
    assert.strictEqual(
      refused({ ...typed, spec: { metadata: { name: true, a: "<" } } }),
      `${cannot}spec.metadata: Invalid value: {"a":"\\u003c","name":true}: ${name}`
    )
    assert.strictEqual(
      refused({ ...typed, metadata: "x" }),
      `${cannot}json: cannot unmarshal string into Go value of type v1.ObjectMeta`
    )
    const text = '{"apiVersion":"example.com/v1","kind":"Dial","z":1,"metadata":{"name":"a","name":"b","y":1}}'
    const decoded = Result.getOrThrow(decodeBody({ ...request, bytes: Buffer.from(text) }))
    const warnings = ['duplicate field "metadata.name"', 'unknown field "metadata.y"', 'unknown field "z"']
    assert.deepStrictEqual(decoded.warnings, warnings)
  })

  it("custom resources without a kind have that of the path where unknown fields are ignored", () => {
    const expected = { group: "example.com", version: "v1", kind: "Dial", type: configMap.type, custom: true }
    const refused = (text: string, contentType: string, fieldValidation: FieldValidation) => {
      const result = decodeBody({ contentType, bytes: Buffer.from(text), expected, fieldValidation })
      return Result.isFailure(result) ? result.failure.message : "none"
    }
    const text = '{"z":1,"apiVersion":"example.com/v1"}'
    const missing = "Dial in version \"v1\" cannot be handled as a Dial: Object 'Kind' is missing in "
    assert.strictEqual(refused(text, "application/json", "Ignore"), `${missing}'${text}'`)
    assert.strictEqual(refused(text, "application/yaml", "Ignore"), `${missing}'{"apiVersion":"example.com/v1","z":1}'`)
    const html = "z: <\napiVersion: example.com/v1\n"
    const escaped = '{"apiVersion":"example.com/v1","z":"\\u003c"}'
    assert.strictEqual(refused(html, "application/yaml", "Ignore"), `${missing}'${escaped}'`)
    const asSent = (sent: string) => `Object 'Kind' is missing in '${sent}' (`
    assert.include(refused(html, "application/yaml", "Warn"), asSent(html))
    assert.include(refused("", "application/yaml", "Strict"), asSent(""))
    assert.match(refused(text, "application/json", "Warn") ?? "", /^the object provided is unrecognized/)
    assert.match(refused('{"kind":1}', "application/json", "Ignore") ?? "", /^the object provided is unrecognized/)
  })

  it("Events of both groups have one internal type", () => {
    const type = typeOf("", "Event")
    const events = { group: "events.k8s.io", version: "v1", kind: "Event", type }
    assert.strictEqual(
      message('{"kind":"Pod","apiVersion":"v1"}', undefined, "Strict", events),
      'Pod in version "v1" cannot be handled as a Event: converting (v1.Pod) to (core.Event): unknown conversion'
    )
  })

  it("custom resources have no protobuf", () => {
    const expected = { group: "example.com", version: "v1", kind: "Dial", type: configMap.type, custom: true }
    const refused = (text: string): string => {
      const contentType = "application/vnd.kubernetes.protobuf"
      const result = decodeBody({ contentType, bytes: Buffer.from(text), expected, fieldValidation: "Strict" })
      return Result.isFailure(result) ? (result.failure.message ?? "") : ""
    }
    assert.include(refused("k8s\0\x12\0"), "include: application/json, application/yaml")
    assert.include(refused("{}"), "(must be of type Dial): provided data does not appear to be a protobuf message")
  })
})

describe("YAML", () => {
  const yaml = (text: string, validation: FieldValidation = "Ignore") => object(text, "application/yaml", validation)
  const data = (text: string) => object(text, "application/yaml", "Ignore", { ...configMap, type: anything }).data
  const anything: MessageType = { ...configMap.type, fields: new Map(), preserveUnknown: true }

  it("is that of version 1.1, without its times", () => {
    assert.deepStrictEqual(
      data("data: {a: yes, b: off, c: 0777, d: 12:30:45, e: 2001-02-03, f: ~, g: '1', 1: x, true: why}"),
      {
        a: true,
        b: false,
        c: 511,
        d: "12:30:45",
        e: "2001-02-03",
        f: null,
        g: "1",
        "1": "x",
        true: "why"
      }
    )
  })

  it("has anchors and merges, but limits their expansion", () => {
    assert.deepStrictEqual(data("x: &x {a: b}\ndata: {<<: *x, c: d}"), { a: "b", c: "d" })
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(",")}]`
    )
    const bomb = `l0: &l0 [x]\n${levels.join("\n")}\n`
    assert.include(message(bomb, "application/yaml"), "yaml: document contains excessive aliasing")
    assert.include(message("a: *b", "application/yaml"), "yaml: unknown anchor 'b' referenced")
  })

  it("reports duplicate keys under strict validation", () => {
    assert.deepInclude(yaml("data: {a: x, a: z}"), { data: { a: "z" } })
    assert.include(
      message("data:\n  a: x\n  a: z\n", "application/yaml"),
      'strict decoding error: yaml: unmarshal errors:\n  line 3: key "a" already set in map'
    )
  })

  it("is read up to the end of its first document, of limited depth", () => {
    assert.deepInclude(yaml("data: {a: x}\n---\nc: ["), { data: { a: "x" } })
    for (const rest of ["{}", "]", ' "x"', "\nx"]) {
      assert.deepInclude(yaml(`{data: {a: x}}${rest}`), { data: { a: "x" } }, rest)
    }
    assert.include(message("[".repeat(3000), "application/yaml"), "yaml: ")
    assert.include(message(`data: ${"[".repeat(3000)}${"]".repeat(3000)}`, "application/yaml"), "yaml: ")
  })

  it("is refused with goyaml's messages", () => {
    assert.strictEqual(
      message("a: [", "application/yaml"),
      `${UNRECOGNIZED}yaml: line 1: did not find expected node content (613a205b)`
    )
    assert.include(message("a: b: c\n", "application/yaml"), "mapping values are not allowed in this context")
  })

  it("returns an object or a Status for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."a:-[]{}&*!|>'\"%@ \n\t#?,~<".split("")) })),
        (text) => {
          const result = read(text, "application/yaml")
          if (Result.isFailure(result)) assert.strictEqual(result.failure.code, 400)
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("is written with sorted keys, and ambiguous strings quoted", () => {
    const written = encodeBody("application/yaml", {
      kind: "X",
      data: { b: ["1", "yes", "x"], a: "" },
      apiVersion: "v1"
    })
    assert.strictEqual(written, 'apiVersion: v1\ndata:\n  a: ""\n  b:\n  - "1"\n  - "yes"\n  - x\nkind: X\n')
    assert.deepStrictEqual(
      data(String(encodeBody("application/yaml", { data: { a: "2001-02-03", b: "~", c: "0x1" } }))),
      {
        a: "2001-02-03",
        b: "~",
        c: "0x1"
      }
    )
  })
})

describe("patches", () => {
  const patch = (form: string, text: string, fieldValidation: FieldValidation = "Strict") =>
    decodePatch({ contentType: `application/${form}`, bytes: Buffer.from(text), fieldValidation })
  const refusalOf = (form: string, text: string) => {
    const result = patch(form, text)
    return Result.isFailure(result) ? `${result.failure.code} ${result.failure.message}` : "none"
  }

  it("have a media type", () => {
    assert.strictEqual(
      refusalOf("json-patch+json", "{}"),
      "400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"
    )
    assert.strictEqual(
      refusalOf("merge-patch+json", "[]"),
      "400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"
    )
    assert.strictEqual(
      refusalOf("merge-patch+json", "{x"),
      "400 error decoding patch: invalid character 'x' looking for beginning of object key string"
    )
    assert.strictEqual(refusalOf("strategic-merge-patch+json", ""), "400 unexpected end of JSON input")
    assert.include(
      refusalOf("apply-patch+yaml", "x"),
      "400 error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string"
    )
    assert.include(refusalOf("json", "{}"), "415 ")
    assert.include(refusalOf("MERGE-PATCH+JSON", "{}"), "415 ")
  })

  it("have a type whose parameters are not read", () => {
    for (const parameters of [";;", "; x", ";charset=utf-8,b"]) {
      assert.strictEqual(Result.getOrThrow(patch(`merge-patch+json${parameters}`, "{}")).patchType, "merge")
    }
  })

  it("report duplicate fields", () => {
    const decoded = Result.getOrThrow(patch("merge-patch+json", '{"spec":{"a":1,"a":null}}'))
    assert.deepStrictEqual(decoded, {
      patchType: "merge",
      patch: { spec: { a: null } },
      strictErrors: ['duplicate field "spec.a"']
    })
    assert.deepStrictEqual(Result.getOrThrow(patch("merge-patch+json", '{"a":1,"a":2}', "Ignore")).strictErrors, [])
  })
})
