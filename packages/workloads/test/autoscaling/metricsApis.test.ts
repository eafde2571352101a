import { assert, describe, it } from "@effect/vitest"
import { type MetricSpec, parseLabelSelector, type Selector } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { askMetricsApis } from "../../src/autoscaling/metricsApis.ts"

const START = Date.UTC(2026, 0, 1)
const taken = "2026-01-01T00:00:00Z"
const status = (message: string) => JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message })
const groups = (...versions: ReadonlyArray<string>) =>
  JSON.stringify({
    groups: [
      {
        name: "custom.metrics.k8s.io",
        versions: versions.map((version) => ({ groupVersion: `custom.metrics.k8s.io/${version}` })),
        preferredVersion: { groupVersion: `custom.metrics.k8s.io/${versions[0]}` }
      }
    ]
  })

type Served = Readonly<Record<string, string | readonly [code: number, body: string]>>

/** Asks for a metric on a server that serves these paths; returns the answer, and the paths that were read. */
const ask = (spec: MetricSpec, served: Served, now = START) => {
  const paths: Array<string> = []
  const source = askMetricsApis((path) =>
    Effect.sync(() => {
      paths.push(path)
      const answer = served[path] ?? ([404, "404 page not found\n"] as const)
      return typeof answer === "string" ? { code: 200, body: answer } : { code: answer[0], body: answer[1] }
    })
  )
  const selector = Result.getOrThrow(parseLabelSelector("tier in (b,a),app=web")) as Selector
  const answer = Effect.runSync(source({ spec, namespace: "w", selector, pods: [], now }))
  return { answer, paths, again: () => Effect.runSync(source({ spec, namespace: "w", selector, pods: [], now })) }
}

const target = { type: "AverageValue", averageValue: "1" }
const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target } }
const cpuOf = (container: string): MetricSpec => ({
  type: "ContainerResource",
  containerResource: { name: "cpu", container, target }
})
const podsMetric: MetricSpec = {
  type: "Pods",
  pods: { metric: { name: "qps", selector: { matchLabels: { verb: "GET" } } }, target }
}
const objectMetric = (kind: string, apiVersion: string): MetricSpec => ({
  type: "Object",
  object: { describedObject: { kind, apiVersion, name: "main" }, metric: { name: "hits" }, target }
})
const external: MetricSpec = {
  type: "External",
  external: { metric: { name: "queue_length", selector: { matchLabels: { queue: "q 1" } } }, target }
}

const POD_LIST = "/apis/metrics.k8s.io/v1beta1/namespaces/w/pods?labelSelector=app%3Dweb%2Ctier%20in%20(a%2Cb)"
const podMetrics = JSON.stringify({
  items: [
    {
      metadata: { name: "web-1" },
      timestamp: taken,
      window: "1m30s",
      containers: [
        { name: "c", usage: { cpu: "250m", memory: "1Mi" } },
        { name: "side", usage: { cpu: "1500001n" } }
      ]
    },
    { metadata: { name: "web-2" }, timestamp: taken, window: "30s", containers: [{ name: "c", usage: {} }] }
  ]
})

describe("the metrics APIs", () => {
  it("give the use of pods, summed over all containers where all are known", () => {
    const { answer, paths } = ask(cpu, { [POD_LIST]: podMetrics })
    assert.deepStrictEqual(paths, [POD_LIST])
    assert.deepStrictEqual(answer, { pods: new Map([["web-1", { value: 252, timestamp: START, windowMs: 90_000 }]]) })
  })

  it("give the use of one container", () => {
    const served = { [POD_LIST]: podMetrics }
    const pods = new Map([["web-1", { value: 2, timestamp: START, windowMs: 90_000 }]])
    assert.deepStrictEqual(ask(cpuOf("side"), served).answer, { pods })
    assert.deepStrictEqual(ask(cpuOf("other"), served).answer, { pods: new Map() })
  })

  it("say in client-go's words why there are none", () => {
    const why = (body: string | readonly [number, string]) => ask(cpu, { [POD_LIST]: body }).answer
    const unable = "unable to fetch metrics from resource metrics API: "
    assert.deepStrictEqual(ask(cpu, {}).answer, {
      error: `${unable}the server could not find the requested resource (get pods.metrics.k8s.io)`
    })
    assert.deepStrictEqual(why([503, "service unavailable\n"]), {
      error: `${unable}the server is currently unable to handle the request (get pods.metrics.k8s.io)`
    })
    assert.deepStrictEqual(why([403, status("pods.metrics.k8s.io is forbidden")]), {
      error: `${unable}pods.metrics.k8s.io is forbidden`
    })
    assert.deepStrictEqual(why([500, "oops"]), {
      error: `${unable}an error on the server ("oops") has prevented the request from succeeding (get pods.metrics.k8s.io)`
    })
    assert.deepStrictEqual(why('{"items":[]}'), { error: "no metrics returned from resource metrics API" })
  })

  it("give custom metrics of pods, in the version that the server prefers", () => {
    const path = (version: string) =>
      `/apis/custom.metrics.k8s.io/${version}/namespaces/w/pods/*/qps?labelSelector=app%3Dweb%2Ctier%20in%20(a%2Cb)&metricLabelSelector=verb%3DGET`
    const item = { describedObject: { kind: "Pod", name: "web-1" }, timestamp: taken, value: "1500m" }
    const listed = (window: object) => JSON.stringify({ items: [{ ...item, ...window }] })
    const pods = (windowMs: number) => ({ pods: new Map([["web-1", { value: 1500, timestamp: START, windowMs }]]) })
    const served = { "/apis": groups("v1beta2", "v1beta1"), [path("v1beta2")]: listed({ windowSeconds: 5 }) }
    const newer = ask(podsMetric, served)
    assert.deepStrictEqual(newer.answer, pods(5000))
    assert.deepStrictEqual(newer.again(), newer.answer)
    assert.deepStrictEqual(newer.paths, ["/apis", path("v1beta2"), path("v1beta2")], "the version is read once")
    const older = ask(podsMetric, { "/apis": groups("v2", "v1beta1"), [path("v1beta1")]: listed({}) })
    assert.deepStrictEqual(older.answer, pods(60_000))
    const unable = "unable to fetch metrics from custom metrics API: "
    assert.deepStrictEqual(ask(podsMetric, { "/apis": '{"groups":[]}' }).answer, {
      error: `${unable}no custom metrics API (custom.metrics.k8s.io) registered`
    })
    assert.deepStrictEqual(ask(podsMetric, { "/apis": groups("v2") }).answer, {
      error: `${unable}no known available metric versions found`
    })
    assert.deepStrictEqual(ask(podsMetric, { "/apis": groups("v1beta2") }).answer, {
      error: `${unable}the server could not find the requested resource (get pods.custom.metrics.k8s.io *)`
    })
  })

  it("give the metric of one object, whatever its kind", () => {
    const at = (address: string) => `/apis/custom.metrics.k8s.io/v1beta2/namespaces/w/${address}`
    const value = JSON.stringify({ items: [{ timestamp: taken, value: "7" }] })
    const served = {
      "/apis": groups("v1beta2"),
      "/apis/ex.io/v1": JSON.stringify({ resources: [{ name: "boxen", kind: "Box" }] }),
      [at("services/main/hits")]: value,
      [at("ingresses.networking.k8s.io/main/hits")]: value,
      [at("boxen.ex.io/main/hits")]: value,
      [at("metrics/hits")]: value,
      [at("pods/main/hits")]: '{"items":[]}'
    }
    const kinds = [
      ["Service", "v1"],
      ["Ingress", "networking.k8s.io/v1"],
      ["Box", "ex.io/v1"],
      ["Namespace", ""]
    ] as const
    for (const [kind, apiVersion] of kinds) {
      assert.deepStrictEqual(ask(objectMetric(kind, apiVersion), served).answer, { values: [7000] }, kind)
    }
    const unable = "unable to fetch metrics from custom metrics API: "
    assert.deepStrictEqual(ask(objectMetric("Pod", "v1"), served).answer, {
      error: `${unable}the custom metrics API server returned 0 results when we asked for exactly one`
    })
    assert.deepStrictEqual(ask(objectMetric("Tin", "ex.io/v1"), served).answer, {
      error: `${unable}unable to map kind Tin.ex.io to resource: no matches for kind "Tin" in group "ex.io"`
    })
  })

  it("give all values of an external metric", () => {
    const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/w/queue_length?labelSelector=queue%3Dq%201"
    const items = JSON.stringify({ items: [{ value: "2" }, { value: "3500m" }] })
    assert.deepStrictEqual(ask(external, { [path]: items }).answer, { values: [2000, 3500] })
    const unable = "unable to fetch metrics from external metrics API: "
    assert.deepStrictEqual(ask(external, {}).answer, {
      error: `${unable}the server could not find the requested resource (get queue_length.external.metrics.k8s.io)`
    })
    assert.deepStrictEqual(ask(external, { [path]: "{}" }).answer, {
      error: "no metrics returned from external metrics API"
    })
  })
})
