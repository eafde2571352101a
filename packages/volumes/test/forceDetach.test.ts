import type { Node } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { defaultDetachSettings } from "../src/index.ts"
import { decideDetach, unwantedVolume } from "../src/rules.ts"

const VOLUME = "kubernetes.io/csi/d^v"

const node = (ready: string, taints: ReadonlyArray<string> = [], inUse = [VOLUME]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec: { taints: taints.map((key) => ({ key, effect: "NoSchedule" })) },
  status: { conditions: [{ type: "Ready", status: ready }], volumesInUse: inUse }
})

describe("a volume that its node no longer needs", () => {
  it("has the state that the node reports", () => {
    assert.deepStrictEqual(unwantedVolume(node("True"), VOLUME, 1), {
      mountedByNode: true,
      nodeHealthy: true,
      outOfService: false,
      elapsedMs: 1
    })
    const lost = unwantedVolume(node("Unknown", ["node.kubernetes.io/out-of-service"], []), VOLUME, 2)
    assert.deepStrictEqual(lost, { mountedByNode: false, nodeHealthy: false, outOfService: true, elapsedMs: 2 })
    const gone = { mountedByNode: false, nodeHealthy: false, outOfService: false, elapsedMs: 3 }
    assert.deepStrictEqual(unwantedVolume(undefined, VOLUME, 3), gone)
  })

  it("waits for its node where the gate of the taint is off", () => {
    const lost = unwantedVolume(node("Unknown", ["node.kubernetes.io/out-of-service"]), VOLUME, 2)
    assert.deepStrictEqual(decideDetach(lost), {
      detach: true,
      verifySafeToDetach: false,
      forcedReason: "out-of-service"
    })
    assert.deepStrictEqual(decideDetach(lost, { ...defaultDetachSettings, outOfServiceDetach: false }), {
      detach: false
    })
  })

  it("waits six minutes to the millisecond while it is mounted on an unhealthy node", () => {
    assert.strictEqual(defaultDetachSettings.maxWaitForUnmountMs, 360_000)
    const after = (ms: number) => decideDetach(unwantedVolume(node("False"), VOLUME, ms))
    assert.deepStrictEqual(after(360_000), { detach: false })
    assert.deepStrictEqual(after(360_001), { detach: true, verifySafeToDetach: false, forcedReason: "timeout" })
  })
})
