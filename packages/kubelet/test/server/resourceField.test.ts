import type { Container, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { resourceFieldOf } from "../../src/server/streams/resourceField.ts"

const allocatable = { cpu: "8", memory: "1Gi", "ephemeral-storage": "2Gi" }

const fieldOf = (resource: string, own: Container["resources"], pod: Pod["spec"]["resources"] = undefined) => {
  const container: Container = { name: "c", ...(own === undefined ? {} : { resources: own }) }
  const spec = { containers: [container], ...(pod === undefined ? {} : { resources: pod }) }
  return resourceFieldOf({ apiVersion: "v1", kind: "Pod", metadata: {}, spec }, container, { resource }, allocatable)
}

describe("a resource of a container in its variables", () => {
  it("is what the container has", () => {
    assert.strictEqual(fieldOf("limits.cpu", { limits: { cpu: "1500m" } }), "2")
    assert.strictEqual(fieldOf("requests.memory", { requests: { memory: "1Ki" } }), "1024")
    assert.strictEqual(fieldOf("requests.cpu", undefined), "0")
  })

  it("is, of a missing limit, that of its pod, or else what its node gives to pods", () => {
    const ofPod = { limits: { cpu: "2", memory: "512Mi" } }
    assert.strictEqual(fieldOf("limits.cpu", undefined), "8")
    assert.strictEqual(fieldOf("limits.cpu", undefined, ofPod), "2")
    assert.strictEqual(fieldOf("limits.cpu", { limits: { cpu: "1" } }, ofPod), "1")
    assert.strictEqual(fieldOf("limits.cpu", { limits: { cpu: "0" } }, ofPod), "2")
    assert.strictEqual(fieldOf("limits.memory", undefined, { limits: { cpu: "2" } }), String(1024 ** 3))
    assert.strictEqual(fieldOf("limits.ephemeral-storage", undefined, ofPod), String(2 * 1024 ** 3))
    assert.strictEqual(fieldOf("requests.cpu", undefined, ofPod), "0")
  })
})
