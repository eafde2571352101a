import { cpuAndMemoryOf } from "../stats/Summary.ts"
import {
  json,
  type KubeletContent,
  type KubeletRequest,
  type KubeletResponse,
  METRICS,
  text
} from "./KubeletRequest.ts"
import { resourceMetrics } from "./resourceMetrics.ts"
import { attach, containerLogs, exec, portForward } from "./streamEndpoints.ts"

type Answer = (content: KubeletContent, query: KubeletRequest["query"], path: string) => KubeletResponse

interface Endpoint {
  readonly methods: ReadonlyArray<string>
  readonly answer: Answer
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

/** `/pods`. Upstream: pkg/kubelet/server encodePods. */
const pods: Answer = (content) =>
  json({
    kind: "PodList",
    apiVersion: "v1",
    metadata: {},
    items: content.pods().map(({ pod: { apiVersion: _version, kind: _kind, ...pod }, status }) => ({ ...pod, status }))
  })

const healthz: Answer = (content) => {
  const problem = content.problem()
  return problem === undefined ? text(200, "ok") : text(500, `[-]syncloop failed: ${problem}\nhealthz check failed\n`)
}

const fixed: Readonly<Record<string, Endpoint>> = {
  "/stats/summary": { methods: both, answer: summary },
  "/metrics/resource": { methods: reads, answer: resources },
  "/pods": { methods: reads, answer: pods },
  "/healthz": { methods: reads, answer: healthz }
}

const streams: ReadonlyArray<readonly [path: RegExp, endpoint: Endpoint]> = [
  [/^\/containerLogs(\/[^/]+){3}$/, { methods: reads, answer: containerLogs }],
  [/^\/exec(\/[^/]+){3,4}$/, { methods: both, answer: exec }],
  [/^\/attach(\/[^/]+){3,4}$/, { methods: both, answer: attach }],
  [/^\/portForward(\/[^/]+){2,3}$/, { methods: both, answer: portForward }]
]

const endpointAt = (path: string): Endpoint | undefined =>
  Object.hasOwn(fixed, path) ? fixed[path] : streams.find(([pattern]) => pattern.test(path))?.[1]

/**
 * Answers a request in place of a kubelet's HTTPS server. Upstream: pkg/kubelet/server/server.go. Nothing of it is there
 * before the first request.
 */
export const serveKubelet = ({ method, path, query }: KubeletRequest, content: KubeletContent): KubeletResponse => {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
  const endpoint = endpointAt(trimmed)
  if (endpoint === undefined) return text(404, "404: Page Not Found")
  return endpoint.methods.includes(method)
    ? endpoint.answer(content, query, trimmed)
    : text(405, "405: Method Not Allowed")
}
