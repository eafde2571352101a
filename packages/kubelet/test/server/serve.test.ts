import { assert, describe, it } from "vitest"
import {
  type Kubelet,
  type KubeletRequest,
  kubeletConfig,
  makeModelledHost,
  makeModelledPodRuntime,
  type Summary
} from "../../src/index.ts"
import { GI } from "../eviction/samples.ts"
import { START, setUpKubelet } from "../setUpKubelet.ts"

/** What an idle container uses of memory. */
const IDLE = 4 * 1024 * 1024

const request = (given: Partial<KubeletRequest> = {}): KubeletRequest => ({
  method: "GET",
  path: "/stats/summary",
  query: new Map(),
  ...given
})

const textOf = (kubelet: Kubelet, given: KubeletRequest) => {
  const answer = kubelet.serve(given)
  if (typeof answer.body !== "string") throw new Error("a stream")
  return { ...answer, body: answer.body }
}

const configWithSwap = kubeletConfig({ failSwapOn: false, swapBehavior: "LimitedSwap" })

const setUp = () => {
  const clock = { now: () => START }
  const host = makeModelledHost({
    name: "n1",
    capacity: { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", pods: "110" },
    swapBytes: 4 * GI,
    resources: clock
  })
  const made = setUpKubelet({
    host,
    config: configWithSwap,
    runtime: (timers) => makeModelledPodRuntime(timers, {}, host)
  })
  clock.now = made.time.timers.now
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  return made
}

describe("the server of a modelled kubelet", () => {
  it("returns the stats of its machine and its pods, as go-restful prints them", () => {
    const { api, kubelet, untilMs } = setUp()
    api.createPod("p0", "n1", {}, { "rollcall.dev/behaviour": '{"c":{"memory":"1Gi","disk":"2Gi"}}' })
    api.createPod("p1", "n1")
    api.createPod("p2", "n1", {}, { "rollcall.dev/behaviour": '{"c":{"processes":3}}' })
    untilMs(20_000)
    const { body, code, contentType } = textOf(kubelet, request())
    assert.deepStrictEqual([code, contentType], [200, "application/json"])
    assert.match(body, /^\{\n "node": \{\n {2}"nodeName": "n1",\n {2}"startTime": "2026-01-01T00:00:00Z",\n/)
    const { node, pods } = JSON.parse(body) as Summary
    assert.strictEqual(node.memory?.workingSetBytes, GI + 2 * IDLE)
    assert.strictEqual(node.swap?.swapAvailableBytes, 4 * GI)
    const [p0, p1, p2] = pods
    assert.deepStrictEqual(
      pods.map(({ podRef }) => podRef.name),
      ["p0", "p1", "p2"]
    )
    assert.deepInclude(p0?.containers[0]?.memory, { usageBytes: GI, workingSetBytes: GI, rssBytes: GI })
    assert.deepInclude(node.memory, { usageBytes: GI + 2 * IDLE, rssBytes: GI + 2 * IDLE })
    assert.strictEqual(p0?.containers[0]?.rootfs?.usedBytes, 2 * GI)
    // Its behaviour does not say what it logs, nor how many processes it has.
    assert.isUndefined(p0?.containers[0]?.logs?.usedBytes)
    assert.isUndefined(p0?.process_stats)
    assert.strictEqual(p0?.["ephemeral-storage"]?.usedBytes, 2 * GI)
    assert.strictEqual(p1?.containers[0]?.memory?.workingSetBytes, IDLE)
    assert.isUndefined(p2?.["ephemeral-storage"])
    assert.deepStrictEqual([p2?.process_stats?.process_count, p2?.memory?.workingSetBytes], [3, IDLE])
    assert.deepStrictEqual(p1?.containers[0]?.swap, {
      time: "2026-01-01T00:00:20Z",
      swapAvailableBytes: 0,
      swapUsageBytes: 0
    })
  })

  it("returns the memory and swap of containers, pods and the node for a metrics server", () => {
    const { api, kubelet, untilMs } = setUp()
    api.createPod("p1", "n1")
    api.createPod("p0", "n1", {}, { "rollcall.dev/behaviour": '{"c":{"memory":"1Gi"}}' })
    untilMs(20_000)
    const { body, code, contentType } = textOf(kubelet, request({ path: "/metrics/resource" }))
    assert.deepStrictEqual([code, contentType], [200, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"])
    const at = START + 20_000
    const started = body.split("\n").filter((line) => line.startsWith("container_start_time_seconds{"))
    assert.strictEqual(started.length, 2)
    assert.match(
      started[0] ?? "",
      /^container_start_time_seconds\{container="c",namespace="default",pod="p0"\} 1\.76\d+e\+09$/
    )
    assert.deepStrictEqual(
      body.split("\n").filter((line) => !line.startsWith("#") && !started.includes(line)),
      [
        `container_cpu_usage_seconds_total{container="c",namespace="default",pod="p0"} 0.018 ${at}`,
        `container_cpu_usage_seconds_total{container="c",namespace="default",pod="p1"} 0.018 ${at}`,
        `container_memory_working_set_bytes{container="c",namespace="default",pod="p0"} 1.073741824e+09 ${at}`,
        `container_memory_working_set_bytes{container="c",namespace="default",pod="p1"} 4.194304e+06 ${at}`,
        `container_swap_limit_bytes{container="c",namespace="default",pod="p0"} 0 ${at}`,
        `container_swap_limit_bytes{container="c",namespace="default",pod="p1"} 0 ${at}`,
        `container_swap_usage_bytes{container="c",namespace="default",pod="p0"} 0 ${at}`,
        `container_swap_usage_bytes{container="c",namespace="default",pod="p1"} 0 ${at}`,
        `node_cpu_usage_seconds_total 0.036 ${at}`,
        `node_memory_working_set_bytes 1.077936128e+09 ${at}`,
        `node_swap_usage_bytes 0 ${at}`,
        `pod_cpu_usage_seconds_total{namespace="default",pod="p0"} 0.018 ${at}`,
        `pod_cpu_usage_seconds_total{namespace="default",pod="p1"} 0.018 ${at}`,
        `pod_memory_working_set_bytes{namespace="default",pod="p0"} 1.073741824e+09 ${at}`,
        `pod_memory_working_set_bytes{namespace="default",pod="p1"} 4.194304e+06 ${at}`,
        `pod_swap_usage_bytes{namespace="default",pod="p0"} 0 ${at}`,
        `pod_swap_usage_bytes{namespace="default",pod="p1"} 0 ${at}`,
        "resource_scrape_error 0",
        ""
      ]
    )
    assert.isTrue(
      body.startsWith("# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container")
    )
  })

  it("contains only cpu and memory when requested, given once", () => {
    const { kubelet } = setUp()
    const keys = (...values: ReadonlyArray<string>) => {
      const { body } = textOf(kubelet, request({ query: new Map([["only_cpu_and_memory", values]]) }))
      return Object.keys((JSON.parse(body) as Summary).node)
    }
    assert.deepStrictEqual(keys("true"), ["nodeName", "startTime", "memory", "swap"])
    for (const values of [["false"], [], ["true", "true"], ["1"]]) assert.include(keys(...values), "fs")
  })

  it("reports when its machine was started, by the machine's clock", () => {
    const { boot, kubelet, untilMs } = setUp()
    kubelet.powerLost()
    untilMs(60_000)
    boot()
    kubelet.stopKubelet()
    untilMs(90_000)
    kubelet.startKubelet()
    kubelet.clockSkewed(5_000)
    const { node } = JSON.parse(textOf(kubelet, request()).body) as Summary
    assert.strictEqual(node.startTime, "2026-01-01T00:01:05Z")
    assert.strictEqual(node.memory?.time, "2026-01-01T00:01:35Z")
  })

  it("returns an error while its runtime does not answer", () => {
    const { kubelet, untilMs } = setUp()
    kubelet.runtimeDown(true)
    const { body, code } = textOf(kubelet, request())
    assert.strictEqual(code, 500)
    assert.match(body, /^Internal Error: failed to get imageFs stats: rpc error: code = DeadlineExceeded/)
    kubelet.runtimeDown(false)
    untilMs(60_000)
    assert.strictEqual(kubelet.serve(request()).code, 200)
  })

  it("has no log of what it does not run, has not started yet, or has not run before", () => {
    const { api, kubelet, untilMs } = setUp()
    const log = (path: string, previous?: string) => {
      const query = new Map(previous === undefined ? [] : [["previous", [previous]] as const])
      const { body, code } = kubelet.serve(request({ path: `/containerLogs/default/${path}`, query }))
      return [code, typeof body === "string" ? body : "a log"]
    }
    assert.deepStrictEqual(log("p/c"), [404, 'pod "p" does not exist'])
    api.createPod("p", "n1")
    untilMs(1_010)
    assert.deepStrictEqual(log("p/c"), [400, 'container "c" in pod "p" is waiting to start: ContainerCreating'])
    untilMs(20_000)
    assert.deepStrictEqual(log("p/c"), [200, "a log"])
    assert.deepStrictEqual(log("p/c/", "false"), [200, "a log"])
    assert.deepStrictEqual(log("p/c", "0"), [200, "a log"])
    assert.deepStrictEqual(log("p/c", "true"), [400, 'previous terminated container "c" in pod "p" not found'])
    assert.deepStrictEqual(log("p/d"), [404, 'container "d" not found in pod "p"'])
  })

  it("has the processor time of behaviours, of the pods and of the node", () => {
    const { api, kubelet, untilMs } = setUp()
    api.createPod("p", "n1", {}, { "rollcall.dev/behaviour": '{"c":{"cpu":"250m"}}' })
    api.createPod("q", "n1", {}, { "rollcall.dev/behaviour": '{"c":{"cpu":"1"}}' })
    untilMs(20_000)
    const { node, pods } = JSON.parse(textOf(kubelet, request()).body) as Summary
    assert.deepStrictEqual(
      [node, ...pods].map(({ cpu }) => cpu?.usageNanoCores),
      [1_250_000_000, 250_000_000, 1_000_000_000]
    )
    assert.isAbove(pods[1]?.containers[0]?.cpu?.usageCoreNanoSeconds ?? 0, 15e9)
    const { body } = textOf(kubelet, request({ path: "/metrics/resource" }))
    assert.match(body, /^# TYPE container_cpu_usage_seconds_total counter$/m)
    assert.match(body, /^pod_cpu_usage_seconds_total\{namespace="default",pod="q"\} 1\d\S* \d+$/m)
    assert.match(body, /^node_cpu_usage_seconds_total \d/m)
  })

  it("follows what running pods use when their annotation changes", () => {
    const { api, kubelet, untilMs } = setUp()
    const annotate = (name: string, text: string) => {
      const pod = api.pod(name)
      if (pod === undefined) throw new Error(`no pod ${name}`)
      const annotations = { "rollcall.dev/behaviour": text }
      api.update("Pod", { ...pod, metadata: { ...pod.metadata, annotations } })
    }
    api.createPod("plain", "n1")
    api.createPod("probed", "n1", {}, { "rollcall.dev/behaviour": '{"c":{"memory":"1Gi"}}' })
    untilMs(20_000)
    const used = () => {
      const { node, pods } = JSON.parse(textOf(kubelet, request()).body) as Summary
      const memory = pods.map(({ podRef, memory: its }) => [podRef.name, (its?.workingSetBytes ?? 0) / GI])
      return { memory: Object.fromEntries(memory), swap: (node.swap?.swapUsageBytes ?? 0) / GI }
    }
    assert.deepStrictEqual(used(), { memory: { plain: IDLE / GI, probed: 1 }, swap: 0 })
    annotate("plain", '{"*":{"memory":"2Gi","swap":"1Gi"}}')
    annotate("probed", '{"c":{"memory":"3Gi"}}')
    untilMs(21_000)
    assert.deepStrictEqual(used(), { memory: { plain: 2, probed: 3 }, swap: 1 })
    annotate("plain", "{}")
    api.deletePod("probed", 1)
    untilMs(40_000)
    assert.deepStrictEqual(used(), { memory: { plain: IDLE / GI }, swap: 0 })
  })

  it("counts processor time on when a pod uses less than before", () => {
    const { api, kubelet, untilMs } = setUp()
    const behaviour = (cpu: string) => ({ "rollcall.dev/behaviour": `{"c":{"cpu":"${cpu}"}}` })
    api.createPod("p", "n1", {}, behaviour("2"))
    const used = () => {
      const { pods } = JSON.parse(textOf(kubelet, request()).body) as Summary
      return pods[0]?.cpu?.usageCoreNanoSeconds ?? 0
    }
    untilMs(62_000)
    const before = used()
    const pod = api.pod("p") ?? assert.fail("no pod")
    api.update("Pod", { ...pod, metadata: { ...pod.metadata, annotations: behaviour("500m") } })
    untilMs(72_000)
    assert.strictEqual(before, 120e9)
    assert.strictEqual(used() - before, 5e9)
  })

  it("lists its pods, and says how it is", () => {
    const { api, kubelet, untilMs } = setUp()
    api.createPod("p", "n1")
    untilMs(20_000)
    const list = JSON.parse(textOf(kubelet, request({ path: "/pods" })).body)
    assert.deepStrictEqual(
      [list.kind, list.items[0].metadata.name, list.items[0].status.phase],
      ["PodList", "p", "Running"]
    )
    assert.deepStrictEqual(textOf(kubelet, request({ path: "/healthz" })).body, "ok")
    const running = JSON.parse(textOf(kubelet, request({ path: "/runningpods/" })).body)
    assert.deepStrictEqual(running.items[0].spec.containers, [{ name: "c", image: "pause", resources: {} }])
  })

  it("lists no pods as Go writes them", () => {
    const { kubelet } = setUp()
    const none = '{"kind":"PodList","apiVersion":"v1","metadata":{},"items":null}\n'
    assert.strictEqual(textOf(kubelet, request({ path: "/pods" })).body, none)
    assert.strictEqual(textOf(kubelet, request({ path: "/runningpods/" })).body, none)
  })

  it("shows its configuration as the fields of a file", () => {
    const { kubelet } = setUp()
    const { kubeletconfig } = JSON.parse(textOf(kubelet, request({ path: "/configz" })).body)
    assert.strictEqual(kubeletconfig.kind, "KubeletConfiguration")
    assert.strictEqual(kubeletconfig.nodeStatusUpdateFrequency, "10s")
    assert.strictEqual(kubeletconfig.evictionPressureTransitionPeriod, "5m0s")
    assert.deepStrictEqual(kubeletconfig.memorySwap, { swapBehavior: "LimitedSwap" })
    assert.strictEqual(kubeletconfig.evictionHard["memory.available"], "100Mi")
    assert.notProperty(kubeletconfig, "nodeLabels")
    assert.isEmpty(Object.keys(kubeletconfig).filter((name) => name.endsWith("Ms")))
  })

  it("counts its pods and containers when it is asked, and refuses checkpoints", () => {
    const { api, kubelet, untilMs } = setUp()
    api.createPod("p", "n1", {}, { "rollcall.dev/behaviour": '{"c":{"cpu":"250m","memory":"1Gi"}}' })
    untilMs(20_000)
    const metrics = textOf(kubelet, request({ path: "/metrics" })).body
    assert.match(metrics, /^kubelet_node_name\{node="n1"\} 1$/m)
    assert.match(metrics, /^kubelet_running_containers\{container_state="running"\} 1$/m)
    assert.match(metrics, /^kubelet_running_pods 1$/m)
    const used = textOf(kubelet, request({ path: "/metrics/cadvisor" })).body
    const folder = "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod[0-9a-f_]+.slice"
    const of = (container: string, id: string, cpu = "") =>
      container === ""
        ? `\\{container="",${cpu}id="${id}",image="",name="",namespace="(default)?",pod="p?"\\}`
        : `\\{container="c",${cpu}id="${folder}/cri-containerd-([0-9a-f]{64}).scope",image="pause",name="\\1",namespace="default",pod="p"\\}`
    for (const [container, id] of [
      ["", "/"],
      ["", folder],
      ["c", ""]
    ] as const) {
      assert.match(
        used,
        new RegExp(`^container_cpu_usage_seconds_total${of(container, id, 'cpu="total",')} 4\\.5 \\d{13}$`, "m")
      )
      assert.match(
        used,
        new RegExp(`^container_memory_working_set_bytes${of(container, id)} 1\\.073741824e\\+09 \\d{13}$`, "m")
      )
    }
    assert.match(used, new RegExp(`^container_spec_memory_limit_bytes${of("c", "")} 0$`, "m"))
    assert.match(used, new RegExp(`^container_spec_cpu_shares${of("c", "")} 2$`, "m"))
    assert.notInclude(used, "container_spec_cpu_quota")
    assert.match(used, /^machine_cpu_cores\{boot_id="[^"]+",machine_id="[^"]+",system_uuid="[^"]+"\} 4$/m)
    assert.strictEqual(textOf(kubelet, request({ path: "/metrics/probes" })).body, "")
    const checkpoint = (path: string) => {
      const { body, code } = textOf(kubelet, request({ method: "POST", path: `/checkpoint/default/${path}` }))
      return `${code} ${body}`
    }
    assert.match(checkpoint("p/c"), /^500 checkpointing of default\/p\/c failed \(rpc error: code = Unimplemented/)
    assert.strictEqual(checkpoint("p/d"), "404 container d does not exist")
    assert.strictEqual(checkpoint("q/c"), "404 pod does not exist")
  })

  it("counts the checks of its probes when it is asked", () => {
    const { api, kubelet, untilMs } = setUp()
    const httpGet = { path: "/", port: 80 }
    const probes = {
      startupProbe: { httpGet, periodSeconds: 2, failureThreshold: 9 },
      readinessProbe: { httpGet, periodSeconds: 1 },
      livenessProbe: { httpGet, periodSeconds: 5 }
    }
    api.createPod(
      "p",
      "n1",
      { containers: [{ name: "c", image: "x", ...probes }] },
      { "rollcall.dev/behaviour": '{"c":{"startedAfterSeconds":5,"unreadyAtSeconds":12}}' }
    )
    const started = () => Date.parse(api.pod("p")?.status?.containerStatuses?.[0]?.state?.running?.startedAt ?? "")
    untilMs(10_000)
    untilMs(started() - START + 20_000)
    const { body } = textOf(kubelet, request({ path: "/metrics/probes" }))
    const counts = [...body.matchAll(/^prober_probe_total\{.*probe_type="(\w+)",result="(\w+)"\} (\d+)$/gm)]
    // Startup at 0, 2, 4 and, passing, 6 s; readiness from 6 s to 20 s, failing from 12 s on; liveness at 10, 15 and 20 s.
    assert.deepStrictEqual(
      counts.map(([, type, result, count]) => `${type} ${result} ${count}`),
      [
        "Startup failed 3",
        "Startup successful 1",
        "Readiness failed 9",
        "Readiness successful 6",
        "Liveness successful 3"
      ]
    )
    assert.match(body, /^prober_probe_total\{container="c",namespace="default",pod="p",pod_uid="[^"]+",probe_type=/m)
    const count =
      'prober_probe_duration_seconds_count{container="c",namespace="default",pod="p",probe_type="Readiness"} 6'
    assert.include(body, count)
  })
})
