import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decodeJson, goJson, isAsWritten, wireTypeOf } from "../../src/wire/index.ts"

const read = (text: string) => Result.getOrThrow(decodeJson(wireTypeOf("ControllerRevision"), text)).value as object

const revision = (data: string, name = "r") =>
  `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"${name}"},"data":${data},"revision":1}`

describe("goJson", () => {
  it("writes what Go keeps as text as it came, without blanks", () => {
    for (const [given, text] of [
      ['{"a":1.0, "b" : 1e3}', '{"a":1.0,"b":1e3}'],
      ['{"b":1,"1":{"0":-0}}', '{"b":1,"1":{"0":-0}}'],
      ['{"a":"\\u0041 <"}', '{"a":"\\u0041 \\u003c"}'],
      ["[1,\n2]", "[1,2]"],
      ['{"a":1}', '{"a":1}']
    ] as const)
      assert.strictEqual(goJson(read(revision(given))), revision(text))
  })

  it("writes texts that look like its placeholders as they are", () => {
    const name = 'x\\":0e0,\\"'
    assert.strictEqual(goJson(read(revision("[1.0]", name))), revision("[1.0]", name))
  })

  it("knows what JSON.stringify writes the same", () => {
    assert.isTrue(isAsWritten(read(revision('{"a":1}'))))
    assert.isFalse(isAsWritten(read(revision('{"a":1.0}'))))
    assert.isFalse(isAsWritten({ kind: "ClusterRole", apiVersion: "rbac.authorization.k8s.io/v1", rules: [] }))
  })

  it("tells an empty list from none for kinds that Kubernetes stores in JSON", () => {
    const definition = (conditions: string) => {
      const text = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"d"},"spec":{},"status":{${conditions}}}`
      const { value } = Result.getOrThrow(decodeJson(wireTypeOf("CustomResourceDefinition"), text))
      return JSON.parse(goJson(value)).status.conditions
    }
    assert.deepStrictEqual(definition('"conditions":[]'), [])
    assert.isNull(definition('"conditions":null'))
    assert.isNull(definition(""))
  })

  it("escapes characters of HTML, and sorts the keys of custom resources", () => {
    const map = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "<a>" }, data: { b: "&", a: "\u2028" } }
    assert.strictEqual(
      goJson(map),
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"\\u003ca\\u003e"},"data":{"b":"\\u0026","a":"\\u2028"}}'
    )
    const dial = { kind: "Dial", apiVersion: "example.com/v1", spec: { b: [{ d: 1, c: "<" }], a: null } }
    assert.strictEqual(
      goJson(dial),
      '{"apiVersion":"example.com/v1","kind":"Dial","spec":{"a":null,"b":[{"c":"\\u003c","d":1}]}}'
    )
    assert.isFalse(isAsWritten(dial))
    assert.isTrue(isAsWritten({ kind: "Table", apiVersion: "meta.k8s.io/v1", rows: [] }))
  })
})
