import { familiesText } from "@rollcall/time"
import { cpuAndMemoryOf } from "../stats/Summary.ts"
import { cadvisorMetrics } from "./cadvisorMetrics.ts"
import { configz } from "./configz.ts"
import { podCounts } from "./countedMetrics.ts"
import { debugRefusal, disabled, health, systemLogs } from "./debugEndpoints.ts"
import {
  type Answer,
  json,
  type KubeletContent,
  type KubeletRequest,
  type KubeletResponse,
  METRICS,
  text
} from "./KubeletRequest.ts"
import { cleanPath, isBelow, notFound, redirect } from "./mux.ts"
import { resourceMetrics } from "./resourceMetrics.ts"
import { run } from "./runEndpoint.ts"
import { attach, containerLogs, exec, portForward } from "./streamEndpoints.ts"
import { anyContainer } from "./streams/containerRun.ts"
import { volumeMetrics } from "./volumeMetrics.ts"

interface Endpoint {
  readonly methods: ReadonlyArray<string>
  readonly answer: Answer
}

/** Paths that go-restful serves. */
interface Service {
  readonly root: string
  readonly routes: ReadonlyArray<readonly [path: RegExp, endpoint: Endpoint]>
}

const reads = ["GET"]
const both = ["GET", "POST"]

/** `/stats/summary`. Upstream: pkg/kubelet/server/stats/handler.go. */
const summary: Answer = (content, query) => {
  const found = content.summary()
  if (typeof found === "string") return text(500, `Internal Error: ${found}`)
  const [only, ...others] = query.get("only_cpu_and_memory") ?? []
  return json(only === "true" && others.length === 0 ? cpuAndMemoryOf(found) : found)
}

/** `/metrics/resource`. Upstream: pkg/kubelet/server/server.go, resourceMetricsPath. */
const resources: Answer = (content) => ({
  code: 200,
  contentType: METRICS,
  body: resourceMetrics(content.summary())
})

const compactJson = (content: unknown): KubeletResponse => ({
  code: 200,
  contentType: "application/json",
  body: JSON.stringify(content)
})

/** A list as the codec of the API writes it. Upstream: pkg/kubelet/server encodePods. */
const podList = (items: ReadonlyArray<object>): KubeletResponse => {
  const list = { kind: "PodList", apiVersion: "v1", metadata: {}, items: items.length === 0 ? null : items }
  return { code: 200, contentType: "application/json", body: `${JSON.stringify(list)}\n` }
}

/** `/pods`. Upstream: pkg/kubelet/server encodePods. */
const pods: Answer = (content) =>
  podList(content.pods().map(({ pod: { apiVersion: _version, kind: _kind, ...pod }, status }) => ({ ...pod, status })))

/** `/runningpods/`: the pods as the runtime knows them. Upstream: pkg/kubelet/server getRunningPods. */
const runningPods: Answer = (content) =>
  podList(
    content
      .pods()
      .filter(({ status }) => status.containerStatuses?.some(({ state }) => state?.running !== undefined) === true)
      .map(({ pod: { metadata, spec } }) => ({
        metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
        spec: { containers: spec.containers.map(({ image, name }) => ({ name, image, resources: {} })) },
        status: {}
      }))
  )

const metricsText = (body: string): KubeletResponse => ({ code: 200, contentType: METRICS, body })

const metrics: Answer = ({ config, lifeCounts, nodeName, pods, summary }) => {
  const found = summary()
  const volumes = typeof found === "string" ? "" : volumeMetrics(found)
  return metricsText(podCounts(nodeName, pods(), lifeCounts, config.featureGates) + volumes)
}

const cadvisor: Answer = (content) => {
  const found = content.summary()
  return metricsText(typeof found === "string" ? "" : cadvisorMetrics(found, content.machine(), content.pods()))
}

/** `/checkpoint/{namespace}/{pod}/{container}`: refused as by a runtime that cannot do it. Upstream: checkpoint. */
const checkpoint: Answer = ({ streams: { podNamed } }, query, path) => {
  const [, , namespace = "", name = "", container = ""] = path.split("/")
  const served = podNamed(namespace, name)
  if (served === undefined) return text(404, "pod does not exist")
  if (anyContainer(served.pod, container) === undefined) return text(404, `container ${container} does not exist`)
  const timeout = query.get("timeout")?.at(-1)
  if (timeout !== undefined && !/^[+-]?\d+$/.test(timeout)) return text(404, "cannot parse value of timeout parameter")
  const why = "rpc error: code = Unimplemented desc = a modelled container has no process"
  return text(500, `checkpointing of ${namespace}/${name}/${container} failed (${why})`)
}

/** Handlers without a method of their own: they answer any. */
const handlers: Readonly<Record<string, Answer>> = {
  "/configz": ({ config }) => compactJson(configz(config)),
  "/healthz": health,
  "/healthz/ping": health,
  "/healthz/log": health,
  "/healthz/syncloop": health,
  "/metrics": metrics,
  "/metrics/cadvisor": cadvisor,
  "/metrics/probes": (content) => metricsText(content.probes()),
  "/metrics/resource": resources,
  "/metrics/slis": ({ slis }) => metricsText(familiesText(slis().set.snapshot())),
  "/debug/flags/v": () => disabled("flags endpoint is disabled.")
}

/** The services, by the start of their paths. Those that end in a slash redirect to it. */
const services: ReadonlyArray<Service> = [
  { root: "/pods", routes: [[/^\/pods$/, { methods: reads, answer: pods }]] },
  { root: "/stats/", routes: [[/^\/stats\/summary$/, { methods: both, answer: summary }]] },
  { root: "/runningpods/", routes: [[/^\/runningpods$/, { methods: reads, answer: runningPods }]] },
  { root: "/logs/", routes: [[/^\/logs(\/|$)/, { methods: reads, answer: systemLogs }]] },
  { root: "/run", routes: [[/^\/run(\/[^/]+){3,4}$/, { methods: ["POST"], answer: run }]] },
  { root: "/exec", routes: [[/^\/exec(\/[^/]+){3,4}$/, { methods: both, answer: exec }]] },
  { root: "/attach", routes: [[/^\/attach(\/[^/]+){3,4}$/, { methods: both, answer: attach }]] },
  { root: "/portForward", routes: [[/^\/portForward(\/[^/]+){2,3}$/, { methods: both, answer: portForward }]] },
  { root: "/containerLogs", routes: [[/^\/containerLogs(\/[^/]+){3}$/, { methods: reads, answer: containerLogs }]] },
  { root: "/checkpoint/", routes: [[/^\/checkpoint(\/[^/]+){3}$/, { methods: ["POST"], answer: checkpoint }]] },
  {
    root: "/debug/pprof/",
    routes: [[/^\/debug\/pprof/, { methods: reads, answer: () => disabled("profiling endpoint is disabled.") }]]
  }
]

/**
 * Answers a request in place of a kubelet's HTTPS server. Upstream: pkg/kubelet/server/server.go. Nothing of it is there
 * before the first request.
 */
export const serveKubelet = (
  { isReadOnly, method, path, query }: KubeletRequest,
  content: KubeletContent
): KubeletResponse => {
  const cleaned = cleanPath(path)
  if (cleaned !== path) return redirect(cleaned, query)
  const refusal = debugRefusal(isReadOnly === true ? { enableDebuggingHandlers: false } : content.config, path)
  if (refusal !== undefined) return refusal
  const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined
  if (handler !== undefined) return handler(content, query, path)
  const service = services.find(({ root }) => isBelow(path, root))
  if (service === undefined) return notFound
  if (service.root === `${path}/`) return redirect(service.root, query)
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path
  const [, endpoint] = service.routes.find(([pattern]) => pattern.test(trimmed)) ?? []
  if (endpoint === undefined) return text(404, "404: Page Not Found")
  const { answer, methods } = endpoint
  if (methods.includes(method)) return answer(content, query, trimmed)
  return { ...text(405, "405: Method Not Allowed"), headers: { Allow: methods.join(", ") } }
}
