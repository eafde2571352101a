import type { Device, DeviceToleration, Pod, ResourceClaim, ResourceSlice } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { DevicePools, taintedDevices } from "../../src/devicetainteviction/DevicePools.ts"
import { claimDueMs, podDueMs } from "../../src/devicetainteviction/deviceEvictionTime.ts"

const ADDED = "2026-01-01T00:00:00Z"
const ADDED_MS = Date.parse(ADDED)

const slice = (name: string, generation: number, devices: ReadonlyArray<Device>, pool = "p"): ResourceSlice => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name },
  spec: { driver: "d.io", pool: { name: pool, generation, resourceSliceCount: 1 }, allNodes: true, devices }
})
const taint = (key: string, timeAdded = ADDED) => ({ key, effect: "NoExecute", timeAdded }) as const
const claimWith = (device: string, tolerations?: ReadonlyArray<DeviceToleration>): ResourceClaim => {
  const result = { request: "r", driver: "d.io", pool: "p", device, ...(tolerations && { tolerations }) }
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: "c", namespace: "default" },
    spec: {},
    status: {
      allocation: { devices: { results: [result] } },
      reservedFor: [{ resource: "pods", name: "web", uid: "u1" }]
    }
  }
}
const tolerate = (key: string, seconds?: number): DeviceToleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds })
})

describe("tainted devices", () => {
  it("are those with NoExecute taints in slices of the newest generation", () => {
    const old = slice("old", 1, [{ name: "a", taints: [taint("x")] }])
    const now = slice("new", 2, [
      { name: "b", taints: [taint("y"), { key: "z", effect: "NoSchedule" }] },
      { name: "c", taints: [{ key: "z", effect: "None" }] }
    ])
    const expected = new Map([["b", [taint("y")]]])
    assert.deepStrictEqual(taintedDevices([old, now]), expected)
    assert.deepStrictEqual(taintedDevices([now, old]), expected)
  })

  it("come back when the newest generation goes", () => {
    const pools = new DevicePools()
    const old = slice("old", 1, [{ name: "a", taints: [taint("x")] }])
    const now = slice("new", 2, [{ name: "a" }])
    assert.deepStrictEqual([...pools.set(old).devices], ["a"])
    assert.deepStrictEqual([...pools.set(now).devices], ["a"])
    assert.lengthOf(pools.taintsOf("d.io", "p", "a"), 0)
    assert.deepStrictEqual([...pools.remove(now).devices], ["a"])
    assert.deepStrictEqual(pools.taintsOf("d.io", "p", "a"), [taint("x")])
    assert.lengthOf(pools.taintsOf("d.io", "other", "a"), 0)
  })

  it("do not change with the rest of a slice", () => {
    const pools = new DevicePools()
    pools.set(slice("s", 1, [{ name: "a", taints: [taint("x")] }]))
    assert.lengthOf([...pools.set(slice("s", 2, [{ name: "a", taints: [taint("x")] }, { name: "b" }])).devices], 0)
  })
})

describe("the time of an eviction", () => {
  const due = (tolerations: ReadonlyArray<DeviceToleration> | undefined, ...taints: ReadonlyArray<string>) => {
    const time = claimDueMs(claimWith("a", tolerations), (_, __, device) =>
      device === "a" ? taints.map((key) => taint(key)) : []
    )
    return time === undefined ? undefined : (time - ADDED_MS) / 1000
  }

  it("is that of the taint if nothing tolerates it", () => {
    assert.strictEqual(due(undefined, "x"), 0)
    assert.strictEqual(due([tolerate("y")], "x"), 0)
    assert.strictEqual(due([{ key: "x", operator: "Exists", effect: "NoSchedule" }], "x"), 0)
    // Unlike a pod's toleration of a node's taints, one without effect does not count.
    assert.strictEqual(due([{ key: "x", operator: "Exists" }], "x"), 0)
    assert.strictEqual(due([{ key: "x", operator: "Equal", value: "other", effect: "NoExecute" }], "x"), 0)
    assert.isUndefined(due(undefined))
  })

  it("is later by the fewest tolerated seconds", () => {
    assert.strictEqual(due([tolerate("x", 60), tolerate("x", 5), tolerate("y", 1)], "x"), 5)
    assert.strictEqual(due([tolerate("x", -3)], "x"), 0)
    assert.strictEqual(due([tolerate("x", 60), tolerate("y", 30)], "x", "y"), 30)
  })

  it("never comes if each taint is tolerated without a limit", () => {
    assert.isUndefined(due([tolerate("x"), tolerate("x", 5)], "x"))
    assert.isUndefined(due([{ operator: "Exists", effect: "NoExecute" }], "x", "y"))
    assert.strictEqual(due([tolerate("x")], "x", "y"), 0)
  })

  it("concerns pods on nodes for which the claim is reserved", () => {
    const pod = (uid: string, nodeName?: string): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default", uid },
      spec: {
        containers: [],
        resourceClaims: [{ name: "gpu", resourceClaimName: "c" }],
        ...(nodeName && { nodeName })
      }
    })
    const find = () => ({ claim: claimWith("a"), dueMs: 7 })
    assert.strictEqual(podDueMs(pod("u1", "n"), find), 7)
    assert.isUndefined(podDueMs(pod("u1"), find))
    assert.isUndefined(podDueMs(pod("u2", "n"), find))
    assert.isUndefined(podDueMs(pod("u1", "n"), () => undefined))
  })
})
