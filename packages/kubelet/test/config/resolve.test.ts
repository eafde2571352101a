import { defaultRelease, releaseNames, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { countCPUs } from "../../src/config/cpuList.ts"
import { mergeLayers } from "../../src/config/layers.ts"
import {
  type ConfigLayer,
  type KubeletConfiguration,
  kubeletConfig,
  noKubeletSettings,
  resolveKubelet,
  type ShutdownFields
} from "../../src/index.ts"

const layer = (fields: KubeletConfiguration): ConfigLayer => ({ file: "k.yaml", path: "", fields })

const mergeOrThrow = (base: KubeletConfiguration, ...dropIns: ReadonlyArray<KubeletConfiguration>) =>
  Result.getOrThrow(mergeLayers({ base: layer(base), dropIns: dropIns.map(layer) }, defaultRelease))

const amounts = fc.dictionary(fc.constantFrom("cpu", "memory", "pid"), fc.constantFrom("1", "2", "3"), { maxKeys: 3 })

/** Configurations that say something of a few fields of each kind. */
const configurations: fc.Arbitrary<KubeletConfiguration> = fc.record(
  {
    maxPods: fc.integer({ min: 1, max: 500 }),
    systemReserved: amounts,
    allowedUnsafeSysctls: fc.array(fc.constantFrom("a", "b")),
    nodeStatusUpdateFrequency: fc.constantFrom("1s", "10s"),
    evictionHard: fc.dictionary(fc.constantFrom("memory.available", "pid.available"), fc.constantFrom("1%", "2%")),
    memorySwap: fc.record({ swapBehavior: fc.constantFrom("NoSwap", "LimitedSwap") }),
    failSwapOn: fc.boolean()
  },
  { requiredKeys: [] }
)

describe("drop-ins", () => {
  it("do not change a configuration that has their values already", () => {
    fc.assert(fc.property(configurations, (base) => assert.deepStrictEqual(mergeOrThrow(base, {}), mergeOrThrow(base))))
    fc.assert(
      fc.property(configurations, configurations, (base, dropIn) =>
        assert.deepStrictEqual(mergeOrThrow(base, dropIn, dropIn), mergeOrThrow(base, dropIn))
      )
    )
  })

  it("override all layers below", () => {
    fc.assert(
      fc.property(configurations, configurations, configurations, (base, between, last) => {
        const result = mergeOrThrow(base, between, last)
        for (const name of ["maxPods", "allowedUnsafeSysctls", "failSwapOn", "nodeStatusUpdateFrequency"] as const) {
          if (last[name] !== undefined) assert.deepStrictEqual(result[name], last[name])
        }
        assert.deepInclude(result.systemReserved ?? {}, last.systemReserved ?? {})
      })
    )
  })

  it("merge into a configuration that resolves to itself", () => {
    fc.assert(
      fc.property(configurations, configurations, (base, dropIn) => {
        const result = mergeOrThrow(base, dropIn)
        assert.deepStrictEqual(mergeOrThrow(result), result)
      })
    )
  })
})

describe("a kubelet without settings", () => {
  for (const name of releaseNames) {
    it(`has the defaults of ${name} in the model`, () => {
      const { config, warnings } = Result.getOrThrow(resolveKubelet(noKubeletSettings, releases[name]))
      assert.deepStrictEqual(config, kubeletConfig({}, releases[name]))
      assert.deepStrictEqual(warnings, [])
    })
  }
})

describe("rules of other packages", () => {
  it("validate their fields, and their problems are reported among the others", () => {
    const seen: Array<ShutdownFields> = []
    const fields = { shutdownGracePeriod: "30s", maxPods: -1, memorySwap: { swapBehavior: "Much" } }
    const refused = resolveKubelet({ base: layer(fields), dropIns: [], flags: {} }, defaultRelease, {
      shutdown: (given) => {
        seen.push(given)
        return ["that is no way to go"]
      }
    })
    assert.strictEqual(seen[0]?.shutdownGracePeriodMs, 30_000)
    assert.deepStrictEqual(Result.getOrThrow(Result.flip(refused)).problems, [
      {
        file: "k.yaml",
        path: "",
        message:
          '[invalid configuration: maxPods (--max-pods) -1 must not be a negative number, that is no way to go, invalid configuration: memorySwap.swapBehavior "Much" must be one of: "", "LimitedSwap" or "NoSwap"]'
      }
    ])
  })
})

describe("reserved CPUs", () => {
  it("count each once", () => {
    const range = fc.tuple(fc.nat(40), fc.nat(5)).map(([start, more]) => [start, start + more] as const)
    fc.assert(
      fc.property(fc.array(range, { minLength: 1 }), (ranges) => {
        const list = ranges.map(([start, end]) => (start === end ? String(start) : `${start}-${end}`)).join(",")
        const cpus = ranges.flatMap(([start, end]) =>
          Array.from({ length: end - start + 1 }, (_, index) => start + index)
        )
        assert.strictEqual(Result.getOrThrow(countCPUs(list)), new Set(cpus).size)
      })
    )
  })
})
