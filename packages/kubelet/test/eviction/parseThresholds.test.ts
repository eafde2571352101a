import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { withContainerFs } from "../../src/eviction/containerFs.ts"
import { parseThresholds, type ThresholdSettings, thresholdsOf } from "../../src/eviction/parseThresholds.ts"
import { evictionHardDefaults } from "../../src/eviction/Signals.ts"
import { kubeletConfig } from "../../src/KubeletConfig.ts"

const parse = (settings: Partial<ThresholdSettings>) =>
  parseThresholds({
    enforceNodeAllocatable: [],
    evictionHard: {},
    evictionSoft: {},
    evictionSoftGracePeriod: {},
    evictionMinimumReclaim: {},
    ...settings
  })

const messageOf = (settings: Partial<ThresholdSettings>): string => {
  const parsed = parse(settings)
  return Result.isFailure(parsed) ? parsed.failure.message : ""
}

const hardMessageOf = (text: string) => messageOf({ evictionHard: { "memory.available": text } })
const graceMessageOf = (text: string) => messageOf({ evictionSoftGracePeriod: { "memory.available": text } })
const reclaimMessageOf = (text: string) => messageOf({ evictionMinimumReclaim: { "memory.available": text } })

describe("eviction settings", () => {
  it("are refused with upstream's words", () => {
    assert.strictEqual(hardMessageOf("0"), "eviction threshold memory.available must be positive: 0")
    assert.strictEqual(
      hardMessageOf("12x"),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )
    assert.strictEqual(hardMessageOf("a%"), 'strconv.ParseFloat: parsing "a": invalid syntax')
    assert.strictEqual(hardMessageOf("%"), 'strconv.ParseFloat: parsing "": invalid syntax')
    assert.strictEqual(hardMessageOf("1e99%"), 'strconv.ParseFloat: parsing "1e99": value out of range')
    assert.strictEqual(
      hardMessageOf("100.1%"),
      "eviction percentage threshold memory.available must be <= 100%: 100.1%"
    )
    assert.strictEqual(hardMessageOf("100%"), "")
    assert.strictEqual(reclaimMessageOf("-1Mi"), "negative eviction minimum reclaim specified for memory.available")
    assert.strictEqual(reclaimMessageOf("0"), "")
    assert.strictEqual(graceMessageOf("-1s"), "invalid eviction grace period specified: -1s, must be a positive value")
    assert.strictEqual(graceMessageOf("1"), 'time: missing unit in duration "1"')
    assert.strictEqual(graceMessageOf("1m2y"), 'time: unknown unit "y" in duration "1m2y"')
    assert.strictEqual(graceMessageOf("soon"), 'time: invalid duration "soon"')
    assert.strictEqual(
      messageOf({ evictionSoft: { "pid.available": "5%" }, evictionSoftGracePeriod: { "memory.available": "1m" } }),
      "grace period must be specified for the soft eviction threshold pid.available"
    )
    assert.strictEqual(messageOf({ evictionMinimumReclaim: { memory: "1" } }), "unsupported eviction signal memory")
  })

  it("treat a soft threshold without a grace period as a hard one, which is copied for the pods' allocatable", () => {
    const parsed = parse({
      enforceNodeAllocatable: ["pods"],
      evictionSoft: { "memory.available": "1Gi" },
      evictionSoftGracePeriod: { "memory.available": "0s" }
    })
    assert.deepStrictEqual(
      Result.getOrThrow(parsed).map(({ signal }) => signal),
      ["memory.available", "allocatableMemory.available"]
    )
  })

  it("are parsed once for all kubelets that share them", () => {
    const config = kubeletConfig()
    assert.strictEqual(thresholdsOf(config), thresholdsOf(config))
    assert.lengthOf(thresholdsOf(config), 6)
  })

  it("have defaults by operating system", () => {
    assert.deepStrictEqual(evictionHardDefaults(), kubeletConfig().evictionHard)
    assert.deepStrictEqual(evictionHardDefaults("windows"), {
      "memory.available": "500Mi",
      "nodefs.available": "10%",
      "imagefs.available": "15%"
    })
  })

  it("for the containers' filesystem are replaced by those of the filesystem that it lies on", () => {
    const thresholds = Result.getOrThrow(
      parse({
        evictionHard: { "nodefs.available": "10%", "imagefs.available": "15%", "containerfs.available": "1Gi" },
        evictionSoft: { "imagefs.inodesFree": "7%" },
        evictionSoftGracePeriod: { "imagefs.inodesFree": "1m" }
      })
    )
    const lie = (dedicatedImageFs: boolean, splitContainers: boolean) => {
      const { first, later } = withContainerFs(thresholds, { dedicatedImageFs, splitContainers })
      const texts = later.map(({ graceMs, signal, value }) => {
        const amount = "fraction" in value ? `${Math.round(value.fraction * 100)}%` : "1Gi"
        return `${signal} ${amount}${graceMs === 0 ? "" : " soft"}`
      })
      return { inFirstPass: first.length, containerfs: texts.filter((text) => text.startsWith("containerfs")) }
    }
    assert.deepStrictEqual(lie(false, false), { inFirstPass: 4, containerfs: ["containerfs.available 10%"] })
    assert.deepStrictEqual(lie(true, true), { inFirstPass: 4, containerfs: ["containerfs.available 10%"] })
    assert.deepStrictEqual(lie(true, false), {
      inFirstPass: 4,
      containerfs: ["containerfs.available 15%", "containerfs.inodesFree 7% soft"]
    })
    assert.deepStrictEqual(lie(false, true), { inFirstPass: 4, containerfs: ["containerfs.available 1Gi"] })
  })
})
