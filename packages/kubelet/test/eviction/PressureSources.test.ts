import { makeVirtualTime } from "@rollcall/time"
import * as Metric from "effect/Metric"
import { assert, describe, it } from "vitest"
import { kubeletEvictions, makeEvictionMeter } from "../../src/eviction/metrics.ts"
import { PressureSources } from "../../src/eviction/PressureSources.ts"

describe("two sources of pressure", () => {
  it("report pressure while either does, and neither ends that of the other", () => {
    const applied: Array<string> = []
    const sources = new PressureSources((kind, under) => applied.push(`${kind} ${under}`))
    sources.setFault("MemoryPressure", true)
    sources.observe("MemoryPressure", true)
    sources.observe("DiskPressure", true)
    assert.deepStrictEqual(sources.conditions, ["DiskPressure", "MemoryPressure"])
    sources.observe("MemoryPressure", false)
    sources.setFault("DiskPressure", false)
    assert.deepStrictEqual(sources.conditions, ["DiskPressure", "MemoryPressure"])
    sources.setFault("MemoryPressure", false)
    sources.observe("DiskPressure", false)
    assert.deepStrictEqual(sources.conditions, [])
    assert.deepStrictEqual(applied.slice(-4), [
      "MemoryPressure true",
      "DiskPressure true",
      "MemoryPressure false",
      "DiskPressure false"
    ])
  })
})

describe("kubelet_evictions", () => {
  it("counts by signal", () => {
    const { context } = makeVirtualTime(0)
    const count = () =>
      kubeletEvictions.pipe(Metric.withAttributes({ eviction_signal: "emptydirfs.limit" })).valueUnsafe(context).count
    const before = Number(count())
    makeEvictionMeter(context).evicted("emptydirfs.limit")
    assert.strictEqual(Number(count()), before + 1)
  })
})
