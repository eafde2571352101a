import { assert, describe, it } from "@effect/vitest"
import { writeEnvelope } from "@rollcall/protobuf"
import { isSteps, runAllSteps } from "@rollcall/time"
import { encodeValueInSteps } from "../../src/http/call/respond.ts"
import { encodeBody } from "../../src/http/codec/encodeBody.ts"
import { PROTOBUF_TYPE, YAML_TYPE } from "../../src/http/request/mediaTypes.ts"

const listOf = (count: number) => ({
  kind: "ConfigMapList",
  apiVersion: "v1",
  metadata: { resourceVersion: "7", continue: '"items": [\n    null\n  ]' },
  items: Array.from({ length: count }, (_, index) => ({
    metadata: { name: `c${index}`, labels: { items: "[]" } },
    data: { x: `"${index}"\n` }
  }))
})

const pausesOf = (work: ReturnType<typeof encodeValueInSteps>): number => {
  if (!isSteps(work)) return 0
  let pauses = 0
  while (work.next().done !== true) pauses++
  return pauses
}

const MANY = 5000

describe("long responses", () => {
  it("are encoded in parts", () => {
    const list = listOf(MANY)
    assert.isAtLeast(pausesOf(encodeValueInSteps(list, "json", true)), 15)
    assert.isAtLeast(pausesOf(encodeValueInSteps(list, "protobuf", false)), 15)
    assert.isAtLeast(pausesOf(encodeValueInSteps(list, "yaml", false)), 15)
    const data = Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, "v"]))
    assert.isAtLeast(pausesOf(encodeValueInSteps({ kind: "ConfigMap", apiVersion: "v1", data }, "yaml", false)), 9)
  })

  it("equal those encoded at once", () => {
    for (const count of [256, 257, 600]) {
      const list = listOf(count)
      assert.strictEqual(runAllSteps(encodeValueInSteps(list, "json", true)), JSON.stringify(list, undefined, 2))
      const whole = writeEnvelope(list) ?? assert.fail("no form in protobuf")
      assert.isTrue(Buffer.from(whole).equals(encodeBody(PROTOBUF_TYPE, list) as Uint8Array))
    }
    assert.match(String(encodeBody(YAML_TYPE, listOf(2))), /^apiVersion: v1\nitems:\n- data:/)
  })
})
