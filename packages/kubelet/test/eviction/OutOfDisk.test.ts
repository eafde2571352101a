import { getNodeCondition, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { isLowOnDisk, nextOutOfDisk } from "../../src/eviction/OutOfDisk.ts"
import { kubeletConfig, makeModelledHost } from "../../src/index.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

const MIB = 2 ** 20
const flags = { lowDiskSpaceThresholdMB: 256, outOfDiskTransitionFrequencyMs: 300_000 }
const reading = (available: number) => ({ available, capacity: 2 ** 40, atMs: 0 })

describe("OutOfDisk", () => {
  it("is less free space than the threshold, where pods or where images lie", () => {
    const low = (nodefs: number, imagefs: number) =>
      isLowOnDisk({ signals: { "nodefs.available": reading(nodefs), "imagefs.available": reading(imagefs) } }, flags)
    assert.isFalse(low(256 * MIB, 256 * MIB))
    assert.isTrue(low(256 * MIB - 1, 256 * MIB))
    assert.isTrue(low(256 * MIB, 256 * MIB - 1))
    assert.isFalse(isLowOnDisk({ signals: {} }, flags))
  })

  it("is True at once, and False no sooner than the transition frequency after", () => {
    const enough = { outOfDisk: false, sinceMs: 0 }
    const out = nextOutOfDisk(enough, true, 1, flags)
    assert.deepStrictEqual(out, { outOfDisk: true, sinceMs: 1 })
    assert.strictEqual(nextOutOfDisk(out, false, 300_000, flags), out)
    assert.deepStrictEqual(nextOutOfDisk(out, false, 300_001, flags), { outOfDisk: false, sinceMs: 300_001 })
  })

  it("is what a kubelet of 1.4 says of its disk, and keeps all pods away meanwhile", () => {
    const release = releases["1.4"]
    let now = START
    const host = makeModelledHost({ name: "n1", resources: { now: () => now } })
    const config = kubeletConfig({ lowDiskSpaceThresholdMB: 1024 }, release)
    const { api, kubelet, untilMs } = setUpKubelet({ release, config, host })
    const to = (ms: number) => {
      now = START + ms
      untilMs(ms)
    }
    const status = () => getNodeCondition(api.node("n1") ?? {}, "OutOfDisk")
    kubelet.startKubelet()
    to(15_000)
    assert.deepStrictEqual([status()?.status, status()?.reason], ["False", "KubeletHasSufficientDisk"])
    host.setAvailable("nodefs.available", "1000Mi")
    to(30_000)
    assert.deepStrictEqual(
      [status()?.status, status()?.reason, status()?.message],
      ["True", "KubeletOutOfDisk", "out of disk space"]
    )
    api.createPod("a", "n1")
    to(32_000)
    const { message, phase, reason } = api.pod("a")?.status ?? {}
    assert.deepStrictEqual(
      [phase, reason, message],
      ["Failed", "OutOfDisk", "Pod was rejected: cannot be started due to lack of disk space."]
    )
    host.setAvailable("nodefs.available", undefined)
    to(300_000)
    assert.strictEqual(status()?.status, "True", "for five minutes at least")
    api.createPod("b", "n1")
    to(305_000)
    assert.strictEqual(api.pod("b")?.status?.phase, "Running", "there is room")
    to(330_000)
    assert.strictEqual(status()?.status, "False")
  })

  it("is unknown to later releases", () => {
    const host = makeModelledHost({ name: "n1", resources: { now: () => START } })
    host.setAvailable("nodefs.available", "1Mi")
    const { api, kubelet, untilMs } = setUpKubelet({ host })
    kubelet.startKubelet()
    untilMs(30_000)
    assert.isUndefined(getNodeCondition(api.node("n1") ?? {}, "OutOfDisk"))
    assert.strictEqual(getNodeCondition(api.node("n1") ?? {}, "DiskPressure")?.status, "True")
  })
})
