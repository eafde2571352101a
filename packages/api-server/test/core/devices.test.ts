import { assert, describe, it } from "@effect/vitest"
import type { ResourceSlice } from "@rollcall/api"
import { makeTestServer } from "./testServer.ts"

const slice = (attribute: object) => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: "s" },
  spec: {
    driver: "a.b",
    nodeName: "n",
    pool: { name: "p", generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "d", attributes: { model: attribute } }]
  }
})

describe("the attributes of a device whose feature is off", () => {
  it("are not stored, but a write with them counts as a change", () => {
    const testServer = makeTestServer()
    const made = testServer.create("ResourceSlice", slice({ string: "m", bools: [true] }))
    const stored = slice({ string: "m" }).spec.devices
    assert.deepStrictEqual(made.spec.devices, stored)
    const put = (attribute: object) => {
      const object = slice(attribute) as ResourceSlice
      return testServer.ask({ verb: "update", kind: "ResourceSlice", name: "s", object }) as ResourceSlice
    }
    assert.strictEqual(put({ string: "m" }).metadata.generation, 1)
    const { metadata, spec } = put({ string: "m", bools: [true] })
    assert.strictEqual(metadata.generation, 2)
    assert.deepStrictEqual(spec.devices, stored)
  })
})
