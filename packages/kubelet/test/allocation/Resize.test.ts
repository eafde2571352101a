import { type Container, type Pod, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { kubeletConfig, makeModelledHost } from "../../src/index.ts"
import { START } from "../setUpKubelet.ts"
import { fits, type Options, resourcesOf, setUp } from "./setUpResizes.ts"

describe("the resources of a running container", () => {
  it("are in its status, also where it has none", () => {
    const { api, create, shown, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    create("b", undefined)
    untilMs(8_000)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "1", actual: "1" })
    assert.deepStrictEqual(api.pod("b")?.status?.containerStatuses?.[0]?.resources, {})
    assert.isUndefined(api.pod("b")?.status?.containerStatuses?.[0]?.allocatedResources)
  })

  it("are not in the status of a release without resizes", () => {
    const release = releases["1.31"]
    const { api, create, untilMs } = setUp({ release, config: kubeletConfig({}, release) })
    create("a", resourcesOf("1", "1Gi"))
    untilMs(8_000)
    assert.strictEqual(api.pod("a")?.status?.phase, "Running")
    assert.notProperty(api.pod("a")?.status?.containerStatuses?.[0], "resources")
  })
})

describe("a resize that fits", () => {
  it("is allocated at once, is in progress, and ends with the same sync", () => {
    const { api, create, resize, resizeEvents, shown, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    untilMs(8_000)
    resize("a", resourcesOf("2", "1Gi"))
    untilMs(8_500)
    const reported = api.asked("patch Pod/status").flatMap(({ request }) => {
      const { status } = (request as { readonly body: Partial<Pod> }).body
      return status?.conditions?.some(({ type }) => type === "PodResizeInProgress") === true ? [status] : []
    })
    assert.lengthOf(reported, 2)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "2", actual: "2" })
    const summary = '{"containers":[{"name":"c","resources":{"requests":{"cpu":"2","memory":"1Gi"}}}],"generation":2}'
    assert.deepStrictEqual(resizeEvents(), [
      `ResizeStarted Pod resize started: ${summary}`,
      `ResizeCompleted Pod resize completed: ${summary}`
    ])
    assert.strictEqual(api.pod("a")?.status?.observedGeneration, 2)
  })

  it("is reported with the generation that asks for it", () => {
    const { api, create, resize, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    untilMs(8_000)
    resize("a", resourcesOf("2", "1Gi"))
    untilMs(8_500)
    const posted = api.asked("patch Pod/status").flatMap(({ request }) => {
      const { status } = (request as { readonly body: Partial<Pod> }).body
      return status?.observedGeneration === 2 ? [status.conditions?.map(({ type }) => type)] : []
    })
    assert.isNotEmpty(posted)
    for (const types of posted) assert.isTrue(types?.includes("PodResizeInProgress"))
  })

  it("restarts a container whose policy asks for it, without a back-off", () => {
    const { create, resize, shown, untilMs } = setUp()
    const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }]
    const resources = resourcesOf("1", "1Gi")
    create("a", resources, { containers: [{ name: "c", image: "app", resources, resizePolicy }] as never })
    untilMs(8_000)
    resize("a", resourcesOf("2", "1Gi"))
    untilMs(14_000)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "2", actual: "2", restarts: 1 })
    resize("a", resourcesOf("2", "2Gi"))
    untilMs(20_000)
    assert.strictEqual(shown("a").restarts, 1)
  })

  it("restarts a container for another limit of its pod, if it has none of its own", () => {
    const { api, create, shown, untilMs } = setUp()
    const resizePolicy = [{ resourceName: "memory", restartPolicy: "RestartContainer" }]
    const amounts = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } })
    const containers = [{ name: "c", image: "app", resizePolicy }] as never
    create("a", undefined, { containers, resources: amounts("1", "1Gi") })
    untilMs(8_000)
    const resizePod = (resources: object) => {
      const patch = { verb: "patch", kind: "Pod", namespace: "default", name: "a", subresource: "resize" } as const
      assert.isDefined(api.ask({ ...patch, patchType: "strategic", body: { spec: { resources } } }))
    }
    resizePod(amounts("2", "1Gi"))
    untilMs(14_000)
    assert.strictEqual(shown("a").restarts, 0)
    resizePod(amounts("2", "2Gi"))
    untilMs(20_000)
    assert.strictEqual(shown("a").restarts, 1)
    // No control group knows a request of memory: the status shows the first one until the pod ends.
    const { limits, requests } = api.pod("a")?.status?.resources ?? {}
    assert.deepStrictEqual(limits, amounts("2", "2Gi").limits)
    assert.deepStrictEqual(requests, amounts("2", "1Gi").requests)
    assert.deepStrictEqual(shown("a").conditions, [])
  })
})

describe("a resize that restarts several containers", () => {
  it("ends when each of them has been restarted", () => {
    const { api, create, untilMs } = setUp()
    const resizePolicy = [{ resourceName: "memory", restartPolicy: "RestartContainer" }]
    const amounts = (memory: string) => ({ requests: { cpu: "1", memory }, limits: { cpu: "1", memory } })
    const spec = {
      resources: amounts("1Gi"),
      restartPolicy: "OnFailure",
      initContainers: [{ name: "i", image: "app", restartPolicy: "Always", resizePolicy }],
      containers: [{ name: "c", image: "app", resizePolicy }]
    }
    const behaviour = { containers: { c: { stopSeconds: 3 }, i: { stopSeconds: 1 } } }
    const annotations = { "rollcall.dev/behaviour": JSON.stringify(behaviour) }
    create("a", undefined, spec as never, { annotations })
    untilMs(8_000)
    const patch = { verb: "patch", kind: "Pod", namespace: "default", name: "a", subresource: "resize" } as const
    assert.isDefined(api.ask({ ...patch, patchType: "strategic", body: { spec: { resources: amounts("2Gi") } } }))
    const seen = new Set<string>()
    for (let atMs = 8_100; atMs <= 20_000; atMs += 100) {
      untilMs(atMs)
      const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = api.pod("a")?.status ?? {}
      const restarts = [...initContainerStatuses, ...containerStatuses].map(({ restartCount }) => restartCount)
      const isResizing = conditions.some(({ type }) => type === "PodResizeInProgress")
      seen.add(`${isResizing ? "resizing" : "resized"} ${restarts}`)
    }
    assert.deepStrictEqual([...seen], ["resizing 0,0", "resized 1,1"])
  })
})

describe("a resize that does not fit", () => {
  const message = "Node didn't have enough resource: cpu, requested: 3500, used: 2000, capacity: 4000"

  it("is deferred, and granted when another pod ends", () => {
    const { api, create, resize, resizeEvents, shown, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    create("b", resourcesOf("2", "1Gi"), { terminationGracePeriodSeconds: 1 })
    untilMs(8_000)
    resize("a", resourcesOf("3500m", "1Gi"))
    untilMs(20_000)
    const pending = [["PodResizePending", "Deferred", message, 2]]
    assert.deepStrictEqual(shown("a"), { ...fits, conditions: pending, allocated: "1", actual: "1" } as never)
    assert.match(resizeEvents()[0] ?? "", /^ResizeDeferred Pod resize OutOfcpu: .*"error":"Node didn't have enough/)
    api.deletePod("b")
    untilMs(30_000)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "3500m", actual: "3500m" })
  })

  it("ends when the pod asks for what it has again", () => {
    const { create, resize, shown, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    create("b", resourcesOf("2", "1Gi"))
    untilMs(8_000)
    resize("a", resourcesOf("3500m", "1Gi"))
    untilMs(9_000)
    assert.strictEqual(shown("a").conditions.length, 1)
    resize("a", resourcesOf("1000m", "1Gi"))
    untilMs(10_000)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "1000m", actual: "1000m" })
  })

  it("is retried by priority, when another pod shrinks", () => {
    const { api, create, resize, shown, untilMs } = setUp()
    const metadata = { name: "high" }
    const object = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata, value: 2 }
    api.ask({ verb: "create", kind: "PriorityClass", object })
    create("low", resourcesOf("1", "1Gi"))
    create("high", resourcesOf("1", "1Gi"), { priorityClassName: "high" })
    create("big", resourcesOf("2", "1Gi"))
    untilMs(8_000)
    resize("low", resourcesOf("2", "1Gi"))
    untilMs(9_000)
    resize("high", resourcesOf("2", "1Gi"))
    untilMs(10_000)
    assert.deepStrictEqual([shown("low").allocated, shown("high").allocated], ["1", "1"])
    resize("big", resourcesOf("1", "1Gi"))
    untilMs(15_000)
    assert.deepStrictEqual([shown("low").actual, shown("high").actual], ["1", "2"])
    assert.strictEqual(shown("low").conditions[0]?.[1], "Deferred")
  })

  it("stays pending while the kubelet is down, with what was allocated", () => {
    const { api, create, kubelet, resize, shown, untilMs } = setUp()
    create("a", resourcesOf("1", "1Gi"))
    create("b", resourcesOf("2", "1Gi"), { terminationGracePeriodSeconds: 1 })
    untilMs(8_000)
    kubelet.stopKubelet()
    resize("a", resourcesOf("3500m", "1Gi"))
    untilMs(20_000)
    kubelet.startKubelet()
    untilMs(30_000)
    assert.deepStrictEqual([shown("a").allocated, shown("a").conditions[0]?.[1]], ["1", "Deferred"])
    kubelet.stopKubelet()
    kubelet.startKubelet()
    untilMs(40_000)
    api.deletePod("b")
    untilMs(60_000)
    assert.deepStrictEqual(shown("a"), { ...fits, allocated: "3500m", actual: "3500m" })
  })
})

describe("a resize that is never granted", () => {
  const refusedBy = (options: Options, before: Container["resources"], after: Container["resources"]) => {
    const { create, resize, shown, untilMs } = setUp(options)
    create("a", before)
    untilMs(8_000)
    resize("a", after)
    untilMs(200_000)
    return shown("a").conditions
  }
  const guaranteed = (cpu: string, memory: string) => resourcesOf(cpu, memory, { cpu, memory })

  it("is that of a Guaranteed pod beside a static manager", () => {
    const text = (manager: string, policy: string) =>
      `Resize is infeasible for Guaranteed Pods alongside ${manager} Manager policy "${policy}"`
    const cpu = { config: kubeletConfig({ cpuManagerPolicy: "static" }) }
    assert.deepStrictEqual(refusedBy(cpu, guaranteed("1", "1Gi"), guaranteed("2", "1Gi")), [
      ["PodResizePending", "Infeasible", text("CPU", "static"), 2]
    ])
    assert.deepStrictEqual(refusedBy(cpu, guaranteed("1", "1Gi"), guaranteed("1", "2Gi")), [])
    const memory = { config: kubeletConfig({ memoryManagerPolicy: "Static" }) }
    assert.deepStrictEqual(refusedBy(memory, guaranteed("1", "1Gi"), guaranteed("1", "2Gi")), [
      ["PodResizePending", "Infeasible", text("Memory", "Static"), 2]
    ])
  })

  it("is that of the memory of a container that may swap", () => {
    const config = kubeletConfig({ failSwapOn: false, memorySwap: { swapBehavior: "LimitedSwap" } } as never)
    const swaps = { config: { ...config, swapBehavior: "LimitedSwap" } }
    assert.deepStrictEqual(refusedBy(swaps, resourcesOf("1", "1Gi"), resourcesOf("1", "2Gi")), [
      ["PodResizePending", "Infeasible", "In-place resize of containers with swap is not supported.", 2]
    ])
    assert.deepStrictEqual(refusedBy(swaps, resourcesOf("1", "1Gi"), resourcesOf("2", "1Gi")), [])
  })
})

describe("a memory limit below what is used", () => {
  it("is an error of the resize, until less is used", () => {
    const usage = { memoryBytes: 100 * 2 ** 20, containers: { c: { memoryBytes: 100 * 2 ** 20 } } }
    const capacity = { cpu: "4", memory: "16Gi", pods: "110" }
    const host = makeModelledHost({ name: "n1", capacity, resources: { now: () => START } })
    const { api, create, resize, resizeEvents, shown, untilMs } = setUp({ host })
    create("a", resourcesOf("1", "50Mi", { memory: "200Mi" }))
    untilMs(8_000)
    const uid = api.pod("a")?.metadata.uid ?? ""
    host.setPodUsage(uid, usage)
    resize("a", resourcesOf("1", "50Mi", { memory: "64Mi" }))
    untilMs(12_000)
    const part = "(67108864) below current usage (104857600)"
    const message = `cannot decrease memory limits: [attempting to set pod memory limit ${part}, attempting to set container "c" memory limit ${part}]`
    assert.deepStrictEqual(shown("a").conditions, [["PodResizeInProgress", "Error", message, 2]])
    assert.strictEqual(shown("a").memory, "200Mi")
    assert.strictEqual(resizeEvents().filter((event) => event.startsWith("ResizeError")).length, 1)
    host.setPodUsage(uid, undefined)
    untilMs(25_000)
    assert.deepStrictEqual(shown("a").conditions, [])
    assert.strictEqual(shown("a").memory, "64Mi")
  })

  it("is one also of a container whose usage is not said: it uses what its stats show", () => {
    const { create, resize, shown, untilMs } = setUp()
    create("a", resourcesOf("1", "50Mi", { memory: "200Mi" }))
    untilMs(8_000)
    resize("a", resourcesOf("1", "10Ki", { memory: "10Ki" }))
    untilMs(12_000)
    const part = "(10240) below current usage (4194304)"
    const message = `cannot decrease memory limits: [attempting to set pod memory limit ${part}, attempting to set container "c" memory limit ${part}]`
    assert.deepStrictEqual(shown("a").conditions, [["PodResizeInProgress", "Error", message, 2]])
    resize("a", resourcesOf("1", "50Mi", { memory: "60Mi" }))
    untilMs(30_000)
    assert.deepStrictEqual(shown("a").conditions, [])
  })
})
