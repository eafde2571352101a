import { type ContainerStatus, featureGatesOf, type Pod, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeModelledHost, type PodUsage, podSwap } from "../../src/index.ts"
import { volumeMetrics } from "../../src/server/volumeMetrics.ts"
import { cpuAndMemoryOf } from "../../src/stats/Summary.ts"
import type { SummarySource } from "../../src/stats/SummarySource.ts"
import { summaryOf } from "../../src/stats/summaryOf.ts"
import { GI, MI, makePod, readingsAt } from "../eviction/samples.ts"
import { START } from "../setUpKubelet.ts"

const NOW = "2026-01-01T00:00:10Z"
const AT = START + 10_000

const release = releases["1.36"]
const limitedSwap = { swapBehavior: "LimitedSwap", featureGates: featureGatesOf(release) }

const machineWith = (swapBytes: number, operatingSystem = "linux") =>
  makeModelledHost({ name: "n1", capacity: { memory: "8Gi" }, operatingSystem, swapBytes }).machine()

const runningStatus = (name: string, startedAt = "2026-01-01T00:00:02Z"): ContainerStatus => ({
  name,
  image: "x",
  imageID: "",
  ready: true,
  restartCount: 0,
  state: { running: { startedAt } }
})

const web = makePod("web", {
  containers: [{ name: "c", resources: { requests: { memory: "2Gi" }, limits: { memory: "4Gi" } } }, { name: "side" }]
})

const source = (given: Partial<SummarySource> = {}): SummarySource => ({
  nodeName: "n1",
  machine: machineWith(4 * GI),
  config: limitedSwap,
  release,
  nowMs: AT,
  bootedMs: START,
  clockSkewMs: 0,
  readings: { ...readingsAt(AT, {}), swapUsedBytes: 0 },
  pods: [{ pod: web, statuses: [runningStatus("c"), runningStatus("side")], startTime: "2026-01-01T00:00:01Z" }],
  ...given
})

const containersOf = (given: Partial<SummarySource>) => summaryOf(source(given)).pods[0]?.containers ?? []

describe("the swap of a summary", () => {
  it("is the machine's, each container's limit less what it uses, and of a pod what it uses only", () => {
    const { node, pods } = summaryOf(source())
    assert.deepStrictEqual(node.swap, { time: NOW, swapAvailableBytes: 4 * GI, swapUsageBytes: 0 })
    assert.deepStrictEqual(pods, [
      {
        podRef: { name: "web", namespace: "default", uid: "uid-web" },
        startTime: "2026-01-01T00:00:01Z",
        containers: [
          {
            name: "c",
            startTime: "2026-01-01T00:00:02Z",
            swap: { time: NOW, swapAvailableBytes: GI, swapUsageBytes: 0 }
          },
          {
            name: "side",
            startTime: "2026-01-01T00:00:02Z",
            swap: { time: NOW, swapAvailableBytes: 0, swapUsageBytes: 0 }
          }
        ],
        swap: { time: NOW, swapUsageBytes: 0 }
      }
    ])
  })

  it("has the swap limits that traces and plans show", () => {
    const init = makePod("init", { initContainers: [{ name: "i", resources: { requests: { memory: "1Gi" } } }] })
    for (const pod of [web, init, makePod("least")]) {
      const limits = podSwap(pod, machineWith(4 * GI), limitedSwap, release)
      const statuses = limits.map(({ container }) => runningStatus(container))
      assert.deepStrictEqual(
        containersOf({ pods: [{ pod, statuses, startTime: NOW }] }).map(({ swap }) => String(swap?.swapAvailableBytes)),
        limits.map(({ limit }) => limit)
      )
    }
  })

  it("is left out as far as it is not known or not limited", () => {
    // A kernel that cannot limit swap.
    const unlimited = { ...machineWith(4 * GI), swapController: false }
    assert.deepStrictEqual(
      containersOf({ machine: unlimited }).map(({ swap }) => swap),
      [
        { time: NOW, swapUsageBytes: 0 },
        { time: NOW, swapUsageBytes: 0 }
      ]
    )
    for (const readings of [undefined, readingsAt(AT, {}), { ...readingsAt(AT, {}), swapUsedBytes: GI }]) {
      // What may not swap has not swapped.
      assert.deepStrictEqual(
        containersOf({ readings }).map(({ swap }) => swap),
        [{ time: NOW }, { time: NOW, swapAvailableBytes: 0, swapUsageBytes: 0 }]
      )
    }
    assert.deepStrictEqual(summaryOf(source({ readings: undefined })).node.swap, { time: NOW })
    const { swap } = summaryOf(source({ readings: { ...readingsAt(AT, {}), swapUsedBytes: GI } })).node
    assert.deepStrictEqual(swap, { time: NOW, swapAvailableBytes: 3 * GI, swapUsageBytes: GI })
  })

  it("is 0 on a machine without swap, and absent on Windows and in releases before swap stats", () => {
    const none = { time: NOW, swapAvailableBytes: 0, swapUsageBytes: 0 }
    const without = summaryOf(source({ machine: machineWith(0), readings: undefined }))
    assert.deepStrictEqual(without.node.swap, none)
    assert.deepStrictEqual(
      without.pods[0]?.containers.map(({ swap }) => swap),
      [none, none]
    )
    const windows = { machine: machineWith(0, "windows") }
    for (const given of [windows, { release: releases["1.4"] }, { release: releases["1.26"] }]) {
      assert.notInclude(JSON.stringify(summaryOf(source(given))), "swap")
    }
    assert.isDefined(summaryOf(source({ release: releases["1.31"] })).node.swap)
  })
})

describe("a summary", () => {
  const usage: PodUsage = {
    memoryBytes: 500 * MI,
    processes: 7,
    containers: { c: { memoryBytes: 500 * MI, rootfsBytes: GI, logsBytes: MI } },
    volumes: { data: { usedBytes: 2 * GI }, claim: { usedBytes: 3 * GI, inodesUsed: 4 } }
  }
  const volumes: NonNullable<Pod["spec"]["volumes"]> = [
    { name: "data", emptyDir: {} },
    { name: "claim", persistentVolumeClaim: { claimName: "disk" } },
    { name: "unknown", emptyDir: {} }
  ]
  const pod = { ...web, spec: { ...web.spec, volumes } }
  const left = {
    "memory.available": 6 * GI,
    "nodefs.available": 40 * GI,
    "nodefs.inodesFree": 30,
    "imagefs.available": 20 * GI,
    "pid.available": 90
  }
  const measured = source({
    readings: { ...readingsAt(AT - 3_000, left, new Map([["uid-web", usage]])), swapUsedBytes: 0 },
    pods: [{ pod, statuses: [runningStatus("c"), runningStatus("side")], startTime: NOW }]
  })
  const time = "2026-01-01T00:00:07Z"
  const nodeFs = { time, availableBytes: 40 * GI, capacityBytes: 100 * GI }
  const imageFs = { time, availableBytes: 20 * GI, capacityBytes: 100 * GI }

  it("contains the machine's eviction signals", () => {
    const { node } = summaryOf(measured)
    assert.deepStrictEqual(node, {
      nodeName: "n1",
      startTime: "2026-01-01T00:00:00Z",
      memory: { time, availableBytes: 6 * GI, workingSetBytes: 2 * GI },
      fs: { ...nodeFs, usedBytes: 60 * GI, inodesFree: 30, inodes: 100 * GI, inodesUsed: 100 * GI - 30 },
      runtime: { imageFs, containerFs: imageFs },
      rlimit: { time, maxpid: 100 * GI, curproc: 100 * GI - 90 },
      swap: { time: NOW, swapAvailableBytes: 4 * GI, swapUsageBytes: 0 }
    })
  })

  it("has the volumes of claims among the metrics, once each", () => {
    const { node, pods } = summaryOf(measured)
    const text = volumeMetrics({ node, pods: [...pods, ...pods] })
    assert.deepStrictEqual(
      text.split("\n").filter((line) => line !== "" && !line.startsWith("#")),
      [
        ["available_bytes", "4.294967296e+10"],
        ["capacity_bytes", "1.073741824e+11"],
        ["inodes", "1.073741824e+11"],
        ["inodes_free", "30"],
        ["inodes_used", "4"],
        ["used_bytes", "3.221225472e+09"]
      ].map(
        ([name, value]) => `kubelet_volume_stats_${name}{namespace="default",persistentvolumeclaim="disk"} ${value}`
      )
    )
  })

  it("contains the known figures of a pod, and no others", () => {
    const [stats] = summaryOf(measured).pods
    const { containers = [], swap: _, ...own } = stats ?? assert.fail("no pod")
    const [c, side] = containers
    const whole = { time, inodesFree: 30, inodes: 100 * GI, availableBytes: 40 * GI, capacityBytes: 100 * GI }
    assert.deepStrictEqual(own, {
      podRef: { name: "web", namespace: "default", uid: "uid-web" },
      startTime: NOW,
      memory: { time: NOW, workingSetBytes: 500 * MI },
      volume: [
        { ...whole, usedBytes: 2 * GI, name: "data" },
        { ...whole, usedBytes: 3 * GI, inodesUsed: 4, name: "claim", pvcRef: { name: "disk", namespace: "default" } }
      ],
      "ephemeral-storage": { ...whole, usedBytes: 3 * GI + MI },
      process_stats: { process_count: 7 }
    })
    assert.deepStrictEqual(c?.memory, {
      time: NOW,
      availableBytes: 4 * GI - 500 * MI,
      workingSetBytes: 500 * MI
    })
    assert.deepStrictEqual(c?.rootfs, { ...imageFs, usedBytes: GI })
    assert.deepStrictEqual(c?.logs, { ...whole, usedBytes: MI })
    assert.deepStrictEqual([side?.memory, side?.rootfs, side?.logs], [undefined, imageFs, whole])
  })

  it("has containers that run, by the machine's own clock", () => {
    const ended: ContainerStatus = { ...runningStatus("c"), state: { terminated: { exitCode: 0 } } }
    const pods = [
      { pod: makePod("ended"), statuses: [ended], startTime: NOW },
      { pod: web, statuses: [ended, runningStatus("side")], startTime: undefined }
    ]
    const { node, pods: told } = summaryOf(source({ pods, clockSkewMs: 60_000 }))
    assert.strictEqual(node.startTime, "2026-01-01T00:01:00Z")
    assert.deepStrictEqual(
      told.map(({ containers, startTime }) => [startTime, containers.map(({ name }) => name)]),
      [["2026-01-01T00:00:02Z", ["side"]]]
    )
    assert.strictEqual(told[0]?.containers[0]?.swap?.time, "2026-01-01T00:01:10Z")
  })

  it("can be kept to processors and memory", () => {
    const all = summaryOf(measured)
    const { node, pods } = cpuAndMemoryOf(all)
    assert.deepStrictEqual(Object.keys(node), ["nodeName", "startTime", "memory", "swap"])
    assert.deepStrictEqual(
      pods.map((pod) => Object.keys(pod)),
      [["podRef", "startTime", "containers", "memory", "swap"]]
    )
    assert.deepStrictEqual(Object.keys(pods[0]?.containers[0] ?? {}), ["name", "startTime", "memory", "swap"])
    assert.deepStrictEqual(node.memory, all.node.memory)
  })

  it("has whole numbers from 0 on, whatever was measured", () => {
    const odd = readingsAt(AT, { "memory.available": 9 * GI, "nodefs.available": -1.5, "pid.available": 0.5 })
    const { node } = summaryOf(source({ readings: odd }))
    assert.strictEqual(node.memory?.workingSetBytes, 0)
    assert.strictEqual(node.fs?.availableBytes, 0)
    assert.strictEqual(node.rlimit?.curproc, 100 * GI)
  })
})
