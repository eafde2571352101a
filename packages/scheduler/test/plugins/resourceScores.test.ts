import type { DeviceClass } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { DeviceScheduling } from "../../src/devices/DeviceScheduling.ts"
import { balancedAllocationOver } from "../../src/plugins/BalancedAllocation.ts"
import { normalize } from "../../src/plugins/normalize.ts"
import { resourcesScore, type ScoringStrategy, type UtilizationShapePoint } from "../../src/plugins/ScoringStrategy.ts"
import { balancedAllocation, imageLocality, leastAllocated } from "../../src/rules.ts"
import { claim, DRIVER, deviceClass, gpus, slice } from "../devices/samples.ts"
import { cacheOf, nodeOf, placePod, podOf, scoresOf } from "./pluginTest.ts"

const gpu = "example.com/gpu"
const podWithRequests = (requests: Record<string, string>) => podOf("p", {}, requests)
const nodeWithAllocatable = (name: string, allocatable: Record<string, string>) =>
  nodeOf(name, { status: { allocatable } })
const halfOfNode = { cpu: "2", memory: "4Gi" }

// Upstream: noderesources/balanced_allocation.go; 75 is neutral, more where the pod evens out what is used, less where it does not.
describe("NodeResourcesBalancedAllocation", () => {
  const busy = () => {
    const cache = cacheOf(nodeOf("empty"), nodeOf("memory"), nodeOf("cpu"))
    placePod(cache, "memory", podOf("m", {}, { memory: "4Gi" }))
    placePod(cache, "cpu", podOf("c", {}, { cpu: "2" }))
    return cache
  }
  const both = () => [balancedAllocation, balancedAllocationOver(["cpu", "memory"])]

  it("prefers a node that the pod leaves better balanced", () => {
    for (const plugin of both()) {
      // Used after the pod: (0.5, 0), (0.5, 0.5), (1, 0) of CPU and memory.
      assert.deepStrictEqual(scoresOf(plugin, busy(), podWithRequests({ cpu: "2" })), {
        empty: 62,
        memory: 87,
        cpu: 62
      })
      assert.deepStrictEqual(scoresOf(plugin, busy(), podWithRequests({ memory: "4Gi" })), {
        empty: 62,
        memory: 62,
        cpu: 87
      })
      assert.deepStrictEqual(scoresOf(plugin, busy(), podWithRequests(halfOfNode)), { empty: 75, memory: 75, cpu: 75 })
    }
  })

  it("caps the utilization of a resource at 100 %", () => {
    for (const plugin of both()) {
      const cache = cacheOf(nodeOf("over"))
      placePod(cache, "over", podOf("c", {}, { cpu: "6" }))
      assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ cpu: "1" })), { over: 75 })
      assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ memory: "8Gi" })), { over: 100 })
    }
  })

  it("gives nodes with only one of the resources the middle score, and skips pods without requests", () => {
    for (const plugin of both()) {
      const cache = cacheOf(
        nodeWithAllocatable("cpu", { cpu: "4" }),
        nodeWithAllocatable("memory", { memory: "8Gi" }),
        nodeWithAllocatable("none", {})
      )
      assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ cpu: "2", memory: "1Gi" })), {
        cpu: 75,
        memory: 75,
        none: 75
      })
      assert.isFalse(scoresOf(plugin, cache, podWithRequests({})))
    }
  })

  it("uses half the difference for two resources, without rounding errors", () => {
    for (const plugin of both()) {
      const cache = cacheOf(nodeWithAllocatable("a", { cpu: "25", memory: "25Gi" }))
      // (1, 0.32): 66 of 100; the root of the variance would be a little more than 0.34, and the score 57.
      assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ cpu: "25", memory: "8Gi" })), { a: 58 })
    }
  })

  it("uses the standard deviation for three resources and more", () => {
    const cache = cacheOf(nodeWithAllocatable("a", { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi" }))
    const plugin = balancedAllocationOver(["cpu", "memory", "ephemeral-storage"])
    // (0.5, 0.5, 0): a deviation of the root of 1/18, 0.2357.
    assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests(halfOfNode)), { a: 63 })
    placePod(cache, "a", podOf("e", {}, { "ephemeral-storage": "50Gi" }))
    assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests(halfOfNode)), { a: 87 })
    // (0, 0, 0.75) after (0, 0, 0.5): 0.3536 after 0.2357.
    assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ "ephemeral-storage": "25Gi" })), { a: 69 })
  })

  it("counts an extended resource only where the pod asks for it and the node has it", () => {
    const cache = cacheOf(nodeWithAllocatable("with", { cpu: "4", [gpu]: "2" }), nodeOf("without"))
    const plugin = balancedAllocationOver(["cpu", gpu])
    assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ [gpu]: "1" })), { with: 62, without: 75 })
    assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ cpu: "2" })), { with: 75, without: 75 })
    placePod(cache, "with", podOf("g", {}, { [gpu]: "1" }))
    // From (0, 0.5) to (0.5, 1).
    assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ cpu: "2", [gpu]: "1" })), {
      with: 75,
      without: 75
    })
  })

  it("skips a pod that requests none of its resources", () => {
    const cache = cacheOf(nodeOf("a"))
    assert.isFalse(scoresOf(balancedAllocationOver(["memory"]), cache, podWithRequests({ cpu: "1" })))
    assert.isFalse(scoresOf(balancedAllocationOver(["cpu"]), cache, podWithRequests({ memory: "1Gi" })))
    assert.isFalse(
      scoresOf(balancedAllocationOver(["cpu", "memory"]), cache, podWithRequests({ "ephemeral-storage": "1Gi" }))
    )
    assert.isFalse(scoresOf(balancedAllocationOver(["ephemeral-storage"]), cache, podWithRequests({ cpu: "1" })))
    assert.isFalse(scoresOf(balancedAllocationOver([gpu]), cache, podWithRequests({ cpu: "1", [gpu]: "0" })))
    assert.isFalse(scoresOf(balancedAllocationOver([gpu]), cache, podWithRequests({ "example.com/nic": "1" })))
    assert.deepStrictEqual(
      scoresOf(balancedAllocationOver(["ephemeral-storage"]), cache, podWithRequests({ "ephemeral-storage": "1Gi" })),
      {
        a: 75
      }
    )
  })
})

// Upstream: noderesources/resource_allocation.go calculateDRAExtendedResourceAllocatableRequest.
describe("an extended resource that a class of devices provides", () => {
  const selector = (expression: string) => deviceClass("gpu", expression, { extendedResourceName: gpu })
  const withDevices = (ofClass: DeviceClass) => {
    const cache = cacheOf(
      nodeOf("none"),
      nodeOf("four"),
      nodeOf("two"),
      nodeWithAllocatable("plugin", { cpu: "4", [gpu]: "8" })
    )
    const { timers } = makeVirtualTime(0)
    const connection = { send: () => () => undefined, watch: () => () => undefined }
    const devices = new DeviceScheduling({ connection, timers, extendedResourceClaims: true, newId: () => "id" })
    devices.setClass(ofClass, false)
    for (const [node, count] of [
      ["four", 4],
      ["two", 2],
      ["plugin", 1]
    ] as const) {
      devices.setSlice(slice(node, gpus(count)), false)
    }
    const results = [{ request: "r", driver: DRIVER, pool: "four", device: "gpu-3" }]
    devices.setClaim(claim("used", [], {}, { allocation: { devices: { results } } }), false)
    cache.devices = devices
    return cache
  }
  const resources = [{ name: gpu, weight: 1 }]
  const pod = podWithRequests({ [gpu]: "1" })

  it("is scored by the devices of a node, and by its plugin where there is one", () => {
    const cache = withDevices(selector('device.driver == "gpu.example.com"'))
    const most = resourcesScore({ type: "MostAllocated", resources })
    assert.deepStrictEqual(scoresOf(most, cache, pod), { none: 0, four: 50, two: 50, plugin: 12 })
    const least = resourcesScore({ type: "LeastAllocated", resources })
    assert.deepStrictEqual(scoresOf(least, cache, pod), { none: 0, four: 50, two: 50, plugin: 87 })
  })

  it("is not scored where a selector holds for no device, or fails", () => {
    const most = resourcesScore({ type: "MostAllocated", resources })
    const unscored = { none: 0, four: 0, two: 0, plugin: 12 }
    for (const expression of ['device.driver == "other"', 'device.attributes["a.b"].c == 1']) {
      assert.deepStrictEqual(scoresOf(most, withDevices(selector(expression)), pod), unscored)
    }
  })
})

// Upstream: noderesources/least_allocated.go; a container that does not mention CPU or memory counts 100m and 200 MiB.
describe("NodeResourcesFit, least allocated", () => {
  const resources = [
    { name: "cpu", weight: 1 },
    { name: "memory", weight: 1 }
  ]
  const both = () => [leastAllocated, resourcesScore({ type: "LeastAllocated", resources })]

  it("scores the free share of CPU and memory, truncated", () => {
    for (const plugin of both()) {
      const cache = cacheOf(nodeOf("empty"), nodeOf("busy"), nodeOf("over"))
      placePod(cache, "busy", podOf("b", {}, halfOfNode))
      placePod(cache, "over", podOf("o", {}, { cpu: "6" }))
      // (74, 97), (24, 47), (0, 95).
      assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ cpu: "1040m" })), {
        empty: 85,
        busy: 35,
        over: 47
      })
      // (97, 87), (47, 37), (0, 85): a pod of 100m.
      assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ memory: "1Gi" })), {
        empty: 92,
        busy: 42,
        over: 42
      })
    }
  })

  it("counts only what a node has", () => {
    for (const plugin of both()) {
      const cache = cacheOf(
        nodeWithAllocatable("cpu", { cpu: "4" }),
        nodeWithAllocatable("memory", { memory: "8Gi" }),
        nodeWithAllocatable("none", {})
      )
      assert.deepStrictEqual(scoresOf(plugin, cache, podWithRequests({ cpu: "1" })), { cpu: 75, memory: 97, none: 0 })
    }
  })
})

describe("NodeResourcesFit, other strategies", () => {
  const scored = (strategy: ScoringStrategy, requests: Record<string, string>, used: Record<string, string> = {}) => {
    const cache = cacheOf(
      nodeWithAllocatable("a", { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", [gpu]: "4" })
    )
    placePod(cache, "a", podOf("used", {}, used))
    const scores = scoresOf(resourcesScore(strategy), cache, podWithRequests(requests))
    return scores === false ? false : scores.a
  }
  const of = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, weight: 1 }))

  it("score the share that is used, at most all of it", () => {
    const most = (...names: ReadonlyArray<string>): ScoringStrategy => ({
      type: "MostAllocated",
      resources: of(...names)
    })
    assert.strictEqual(scored(most("cpu"), { cpu: "1" }, { cpu: "2" }), 75)
    assert.strictEqual(scored(most("cpu"), { cpu: "3" }, { cpu: "2" }), 100)
    // 100m for each of the two pods.
    assert.strictEqual(scored(most("cpu"), {}), 5)
    assert.strictEqual(scored(most("memory"), { memory: "1Gi" }, { memory: "1Gi" }), 25)
    assert.strictEqual(
      scored(most("ephemeral-storage"), { "ephemeral-storage": "10Gi" }, { "ephemeral-storage": "5Gi" }),
      15
    )
    assert.strictEqual(scored(most(gpu), { [gpu]: "1" }, { [gpu]: "2" }), 75)
    assert.strictEqual(scored(most("example.com/nic"), { "example.com/nic": "1" }), 0)
    // An extended resource counts where the pod asks for it, by what it asks of that very one.
    assert.strictEqual(scored(most("cpu", gpu), { cpu: "2" }, { cpu: "1" }), 75)
    assert.strictEqual(scored(most(gpu), { "example.com/a": "3", [gpu]: "1" }), 25)
  })

  it("weigh resources against each other, and cut the mean to a whole number", () => {
    const resources = [
      { name: "cpu", weight: 2 },
      { name: "ephemeral-storage", weight: 1 }
    ]
    // (2 * 75 + 0) / 3 and (2 * 25 + 100) / 3, (2 * 65 + 0) / 3.
    assert.strictEqual(scored({ type: "MostAllocated", resources }, { cpu: "2900m" }), 50)
    assert.strictEqual(scored({ type: "LeastAllocated", resources }, { cpu: "2900m" }), 50)
    assert.strictEqual(scored({ type: "MostAllocated", resources }, { cpu: "2500m" }), 43)
  })

  // Upstream: noderesources/requested_to_capacity_ratio.go, helper/shape_score.go.
  describe("by the ratio of requested to capacity", () => {
    const ratio = (
      shape: ReadonlyArray<readonly [number, number]>,
      ...names: ReadonlyArray<string>
    ): ScoringStrategy => ({
      type: "RequestedToCapacityRatio",
      shape: shape.map(([utilization, score]): UtilizationShapePoint => ({ utilization, score })),
      resources: of(...names)
    })
    const used = (percent: number) => ({ "ephemeral-storage": `${percent}Gi` })

    it("interpolate between the points, and are constant outside of them", () => {
      const rising = ratio(
        [
          [10, 2],
          [70, 7]
        ],
        "ephemeral-storage"
      )
      const falling = ratio(
        [
          [10, 7],
          [70, 2],
          [80, 10]
        ],
        "ephemeral-storage"
      )
      const at = (strategy: ScoringStrategy) =>
        [5, 10, 30, 70, 75, 90].map((percent) => scored(strategy, used(percent - 1), used(1)))
      assert.deepStrictEqual(at(rising), [20, 20, 36, 70, 70, 70])
      assert.deepStrictEqual(at(falling), [70, 70, 54, 20, 60, 100])
    })

    it("cap utilization at 100 %, and truncate it to whole percents", () => {
      const line = ratio(
        [
          [0, 0],
          [100, 10]
        ],
        "cpu"
      )
      assert.strictEqual(scored(line, { cpu: "3" }, { cpu: "2" }), 100)
      assert.strictEqual(scored(line, { cpu: "1020m" }, { cpu: "500m" }), 38)
    })

    it("leave out resources that score nothing, and round the mean", () => {
      const line = (...names: ReadonlyArray<string>) =>
        ratio(
          [
            [0, 0],
            [100, 10]
          ],
          ...names
        )
      const two = line("cpu", "ephemeral-storage")
      assert.strictEqual(scored(two, { cpu: "1900m" }), 50)
      assert.strictEqual(scored(two, { cpu: "1900m", ...used(25) }), 38)
      assert.strictEqual(scored(line("ephemeral-storage"), {}), 0)
    })
  })
})

// Upstream: pkg/scheduler/framework/plugins/imagelocality; 23 MiB and less score 0, 1000 MiB a container and more 100.
describe("ImageLocality", () => {
  const MIB = 1024 * 1024
  const having = (name: string, images: Record<string, number>) =>
    nodeOf(name, {
      status: { images: Object.entries(images).map(([image, mib]) => ({ names: [image], sizeBytes: mib * MIB })) }
    })
  const wanting = (...images: ReadonlyArray<string>) =>
    podOf("p", { containers: images.map((image, index) => ({ name: `c${index}`, image })) })

  it("scores the size of the images that a node has, less where few nodes have them", () => {
    const cache = cacheOf(having("a", { "app:1": 500, "db:1": 500 }), having("b", { "app:1": 500, "other:1": 900 }))
    // app: 500 MiB on both; db: 250 MiB, for it is on one of two; out of 977 MiB a container between the bounds.
    assert.deepStrictEqual(scoresOf(imageLocality, cache, wanting("app:1")), { a: 48, b: 48 })
    assert.deepStrictEqual(scoresOf(imageLocality, cache, wanting("db:1")), { a: 23, b: 0 })
    assert.deepStrictEqual(scoresOf(imageLocality, cache, wanting("app:1", "db:1")), { a: 36, b: 24 })
    assert.deepStrictEqual(scoresOf(imageLocality, cache, wanting("none:1")), { a: 0, b: 0 })
  })

  it("stays within its bounds", () => {
    const cache = cacheOf(having("a", { "big:1": 5000, "small:1": 23 }))
    assert.deepStrictEqual(scoresOf(imageLocality, cache, wanting("big:1")), { a: 100 })
    assert.deepStrictEqual(scoresOf(imageLocality, cache, wanting("small:1")), { a: 0 })
  })

  it("treats an image without a tag as `latest`", () => {
    const cache = cacheOf(
      having("a", { "app:latest": 500, "host:5000/app:latest": 1000, "app@sha256:0": 300, "host:5000/app:2": 200 })
    )
    const score = (image: string) => scoresOf(imageLocality, cache, wanting(image))
    assert.deepStrictEqual(score("app"), { a: 48 })
    assert.deepStrictEqual(score("host:5000/app"), { a: 100 })
    assert.deepStrictEqual(score("host:5000/app:2"), { a: 18 })
    assert.deepStrictEqual(score("app@sha256:0"), { a: 28 })
  })

  it("counts init containers and image volumes, whose container counts for the bound only in the first case", () => {
    const cache = cacheOf(having("a", { "app:1": 500 }))
    const [container] = wanting("app:1").spec.containers
    assert(container !== undefined)
    const none = { name: "none" }
    const init = podOf("p", { containers: [none], initContainers: [container, none] })
    // 477 of 2977 MiB.
    assert.deepStrictEqual(scoresOf(imageLocality, cache, init), { a: 16 })
    const volumes = [
      { name: "e", emptyDir: {} },
      { name: "v", image: { reference: "app:1" } },
      { name: "w", image: {} }
    ]
    assert.deepStrictEqual(scoresOf(imageLocality, cache, podOf("p", { containers: [none], volumes })), { a: 48 })
    assert.deepStrictEqual(scoresOf(imageLocality, cache, podOf("p", { containers: [none] })), { a: 0 })
  })
})

// Upstream: pkg/scheduler/framework/plugins/helper/normalize_score.go.
describe("normalizing", () => {
  const normalized = (scores: ReadonlyArray<number>, reverse: boolean) => {
    const copy = [...scores]
    normalize(copy, reverse)
    return copy
  }

  it("makes the highest 100, or the lowest the best, in whole numbers", () => {
    assert.deepStrictEqual(normalized([1, 3, 0, 2], false), [33, 100, 0, 66])
    assert.deepStrictEqual(normalized([1, 3, 0, 2], true), [67, 0, 100, 34])
  })

  it("gives all nodes the highest score where all scores are 0", () => {
    assert.deepStrictEqual(normalized([0, 0], false), [0, 0])
    assert.deepStrictEqual(normalized([0, 0], true), [100, 100])
  })
})
