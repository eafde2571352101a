import { featureGatesOf, type Pod, type ReleaseName, releases } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { kubeletConfig } from "../../src/KubeletConfig.ts"
import { swapMachineOf, swapStartProblem, volumesMayBeSwapped } from "../../src/swap/swapAtStart.ts"
import { type SwapMachine, swapBehaviourOf, swapLimitOf } from "../../src/swap/swapLimit.ts"
import { GI, makePod } from "../eviction/samples.ts"

const machine: SwapMachine = { memoryBytes: 8 * GI, swapBytes: 4 * GI, cgroupVersion: 2, swapController: true }

const burstablePod = (request: string, limit?: string): Pod =>
  makePod("p", {
    containers: [
      {
        name: "c",
        resources: { requests: { memory: request }, ...(limit === undefined ? {} : { limits: { memory: limit } }) }
      }
    ]
  })

const limitOf = (
  name: ReleaseName,
  swapBehavior: string,
  given: Partial<SwapMachine> = {},
  pod = burstablePod("2Gi", "4Gi"),
  gate = true
) => {
  const release = releases[name]
  const [container] = pod.spec.containers
  if (container === undefined) throw new Error("a pod has a container")
  const featureGates = { ...featureGatesOf(release), NodeSwap: gate }
  return swapLimitOf(pod, container, { ...machine, ...given }, { swapBehavior, featureGates }, release)
}

describe("swap of a container", () => {
  it("resolves an empty swapBehavior as the release does, and refuses those of other releases", () => {
    assert.strictEqual(swapBehaviourOf("", releases["1.4"]), undefined)
    assert.strictEqual(swapBehaviourOf("", releases["1.26"]), "LimitedSwap")
    assert.strictEqual(swapBehaviourOf("", releases["1.31"]), "NoSwap")
    assert.strictEqual(swapBehaviourOf("UnlimitedSwap", releases["1.26"]), "UnlimitedSwap")
    assert.strictEqual(swapBehaviourOf("UnlimitedSwap", releases["1.36"]), "NoSwap")
    assert.strictEqual(swapBehaviourOf("NoSwap", releases["1.26"]), "LimitedSwap")
  })

  it("is unlimited, or within the memory limit on cgroup v1 and none on v2, before 1.28", () => {
    assert.deepStrictEqual(limitOf("1.26", "UnlimitedSwap"), { behaviour: "UnlimitedSwap", memorySwapMax: "max" })
    assert.deepStrictEqual(limitOf("1.26", "UnlimitedSwap", { cgroupVersion: 1 }), {
      behaviour: "UnlimitedSwap",
      memorySwapLimitBytes: -1
    })
    assert.deepStrictEqual(limitOf("1.26", ""), { behaviour: "LimitedSwap", memorySwapMax: "0" })
    assert.deepStrictEqual(limitOf("1.26", "", { cgroupVersion: 1 }), {
      behaviour: "LimitedSwap",
      memorySwapLimitBytes: 4 * GI
    })
    assert.deepStrictEqual(limitOf("1.26", "", {}, undefined, false), { behaviour: "NoSwap" })
  })

  it("is from 1.28 on the share that the request has of the node's memory, never more than the node's swap", () => {
    assert.deepStrictEqual(limitOf("1.31", "LimitedSwap"), { behaviour: "LimitedSwap", memorySwapMax: String(GI) })
    assert.deepStrictEqual(limitOf("1.31", ""), { behaviour: "NoSwap", memorySwapMax: "0" })
    assert.deepStrictEqual(limitOf("1.31", "LimitedSwap", {}, undefined, false), {
      behaviour: "NoSwap",
      memorySwapMax: "0"
    })
    const bytes = fc.integer({ min: 0, max: 16 * GI })
    fc.assert(
      fc.property(bytes, bytes, bytes, (request, memoryBytes, swapBytes) => {
        const limit = limitOf("1.36", "LimitedSwap", { memoryBytes, swapBytes }, burstablePod(String(request)))
        assert.isAtMost(Number(limit.memorySwapMax), swapBytes)
        assert.isAtLeast(Number(limit.memorySwapMax), 0)
      })
    )
  })

  it("is not set where the kernel cannot limit it, or the release does not support it", () => {
    assert.deepStrictEqual(limitOf("1.36", "LimitedSwap", { swapController: false }), { behaviour: "NoSwap" })
    assert.deepStrictEqual(limitOf("1.4", "LimitedSwap"), { behaviour: "NoSwap" })
  })
})

describe("a kubelet beside swap", () => {
  const problem = (
    name: ReleaseName,
    given: { readonly swapBytes?: number; readonly cgroupVersion?: 1 | 2 },
    config: Parameters<typeof kubeletConfig>[0] = {}
  ) => swapStartProblem(given, kubeletConfig(config, releases[name]), releases[name])

  const swapOn = "running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"

  it("does not start with failSwapOn", () => {
    assert.strictEqual(problem("1.36", { swapBytes: GI }), swapOn)
    assert.isUndefined(problem("1.36", { swapBytes: GI }, { failSwapOn: false }))
    assert.isUndefined(problem("1.36", {}))
    assert.strictEqual(problem("1.26", { swapBytes: GI }), swapOn)
    assert.isUndefined(problem("1.4", { swapBytes: GI }))
  })

  it("does not limit swap on cgroup v1, and from 1.35 on does not start there unless configured to", () => {
    const v1 = { cgroupVersion: 1 as const }
    const message = "swap feature is enabled and LimitedSwap but it is only supported with cgroupv2"
    assert.strictEqual(problem("1.31", v1, { swapBehavior: "LimitedSwap" }), message)
    assert.isUndefined(problem("1.31", v1))
    assert.isUndefined(problem("1.26", v1, { swapBehavior: "LimitedSwap" }))
    assert.match(problem("1.36", v1) ?? "", /^kubelet is configured to not run on a host using cgroup v1\. /)
    assert.strictEqual(problem("1.36", v1, { failCgroupV1: false, swapBehavior: "LimitedSwap" }), message)
  })

  it("warns of memory-backed volumes where a tmpfs may be swapped", () => {
    assert.isTrue(volumesMayBeSwapped({ swapBytes: 1, tmpfsNoSwap: false }, releases["1.36"]))
    assert.isFalse(volumesMayBeSwapped({ swapBytes: 1 }, releases["1.36"]))
    assert.isFalse(volumesMayBeSwapped({ tmpfsNoSwap: false }, releases["1.36"]))
    assert.isFalse(volumesMayBeSwapped({ swapBytes: 1, tmpfsNoSwap: false }, releases["1.26"]))
  })

  it("treats a machine without swap facts as one without swap, on cgroup v2", () => {
    assert.deepStrictEqual(
      swapMachineOf({
        capacity: { memory: "8Gi" },
        addresses: [],
        operatingSystem: "linux",
        architecture: "amd64",
        machineID: "",
        systemUUID: "",
        bootID: "",
        versions: { kernelVersion: "", osImage: "", runtimeType: "", runtimeVersion: "", kubeletVersion: "" },
        images: []
      }),
      { memoryBytes: 8 * GI, swapBytes: 0, cgroupVersion: 2, swapController: true }
    )
  })
})
