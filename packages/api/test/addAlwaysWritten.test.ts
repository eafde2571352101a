import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { decodeJson, decodeValue, wireTypeOf } from "../src/wire/index.ts"

/** With an unknown field at its end, a text is for the careful reader. */
const withUnknownField = (text: string): string => `${text.slice(0, -1)},"noSuchField":1}`

const read = (kind: "Node" | "Pod" | "Lease" | "Service", text: string): string => {
  const decoded = decodeJson(wireTypeOf(kind), text)
  return JSON.stringify(Result.isSuccess(decoded) ? decoded.success.value : decoded.failure)
}

const cases = [
  ["Node", '{"metadata":{"name":"n"},"status":{"nodeInfo":{"machineID":"m"},"conditions":[{"type":"Ready"}]}}'],
  ["Node", '{"status":{"addresses":[{"type":"InternalIP"}],"images":[{"names":["a"]}],"capacity":{"cpu":"1"}}}'],
  ["Pod", '{"spec":{"containers":[{"name":"c","ports":[{"containerPort":1}]},{"name":"d","env":[{"name":"e"}]}]}}'],
  ["Pod", '{"status":{"containerStatuses":[{"name":"c","state":{"running":{}},"lastState":{}}]}}'],
  ["Lease", '{"metadata":{}}'],
  ["Service", '{"spec":{"ports":[{"port":80}]},"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.1"}]}}}']
] as const

describe("a body without fields that Go always writes", () => {
  for (const [kind, text] of cases) {
    it(`is read as by the complete decoder: ${text}`, () => {
      assert.strictEqual(read(kind, text), read(kind, withUnknownField(text)))
    })
  }

  it("is completed in a copy if it may have other owners", () => {
    const given = { status: { conditions: [{ type: "Ready", status: "True" }] } }
    const text = JSON.stringify(given)
    const decoded = decodeValue(wireTypeOf("Node"), given)
    assert.strictEqual(JSON.stringify(given), text)
    assert.notStrictEqual(Result.isSuccess(decoded) ? decoded.success.value : undefined, given)
  })
})
