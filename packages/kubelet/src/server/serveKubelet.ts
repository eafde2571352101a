import { cpuAndMemoryOf, type Summary } from "../stats/Summary.ts"
import { logRefusal, type ServedPod } from "./containerLogs.ts"
import { resourceMetrics } from "./resourceMetrics.ts"

/** A request to the server of a kubelet. */
export interface KubeletRequest {
  readonly method: string
  /** The decoded, absolute path: `/stats/summary`. */
  readonly path: string
  /** The query parameters, by name. */
  readonly query: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface KubeletResponse {
  readonly code: number
  readonly contentType: string
  readonly body: string
}

/** The content that a kubelet's server serves. */
export interface KubeletContent {
  /** Returns the stats, or an error message of upstream's provider. */
  readonly summary: () => Summary | string
  readonly podNamed: (namespace: string, name: string) => ServedPod | undefined
}

type Answer = (content: KubeletContent, query: KubeletRequest["query"], path: string) => KubeletResponse

interface Endpoint {
  readonly methods: ReadonlyArray<string>
  readonly answer: Answer
}

const TEXT = "text/plain; charset=utf-8"
/** Prometheus' text format, as promhttp names it. */
const METRICS = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

/** A JSON response in go-restful's format, which is indented by one space. */
const json = (content: unknown): KubeletResponse => ({
  code: 200,
  contentType: "application/json",
  body: JSON.stringify(content, undefined, 1)
})

const text = (code: number, body: string): KubeletResponse => ({ code, contentType: TEXT, body })

/** `/stats/summary`. Upstream: pkg/kubelet/server/stats/handler.go. */
const summary: Endpoint = {
  methods: ["GET", "POST"],
  answer: (content, query) => {
    const found = content.summary()
    if (typeof found === "string") return text(500, `Internal Error: ${found}`)
    const [only, ...others] = query.get("only_cpu_and_memory") ?? []
    return json(only === "true" && others.length === 0 ? cpuAndMemoryOf(found) : found)
  }
}

/** Reads a flag of a query as Kubernetes does: it is on unless it says that it is off. */
const isTrue = (value: string | undefined): boolean =>
  value !== undefined && value !== "0" && value.toLowerCase() !== "false"

/** `/containerLogs/{namespace}/{pod}/{container}`: a modelled container that runs, or has run, writes nothing. */
const logs: Endpoint = {
  methods: ["GET"],
  answer: (content, query, path) => {
    const [, , namespace = "", name = "", container = ""] = path.split("/")
    const isPrevious = isTrue(query.get("previous")?.[0])
    const refusal = logRefusal(content.podNamed(namespace, name), name, container, isPrevious)
    return refusal === undefined ? text(200, "") : text(refusal.code, refusal.text)
  }
}

/**
 * `/exec/…`, `/attach/…` and `/portForward/…`: a modelled container has no process, and nothing listens on its ports. The
 * text has no colon: old clients would read it as the YAML of a Status.
 */
const streams: Endpoint = {
  methods: ["GET", "POST"],
  answer: () => text(501, "this node is modelled, and its containers have no processes and no open ports")
}

/** `/metrics/resource`. Upstream: pkg/kubelet/server/server.go, resourceMetricsPath. */
const resources: Endpoint = {
  methods: ["GET"],
  answer: (content) => ({ code: 200, contentType: METRICS, body: resourceMetrics(content.summary()) })
}

const endpointAt = (path: string): Endpoint | undefined => {
  if (path === "/stats/summary") return summary
  if (path === "/metrics/resource") return resources
  if (/^\/(exec|attach|portForward)(\/[^/]+){2,4}$/.test(path)) return streams
  return /^\/containerLogs(\/[^/]+){3}$/.test(path) ? logs : undefined
}

/**
 * Answers a request in place of a kubelet's HTTPS server. Upstream: pkg/kubelet/server/server.go, of which
 * `/stats/summary`, `/metrics/resource` and `/containerLogs` are implemented, and streams are refused.
 */
export const serveKubelet = ({ method, path, query }: KubeletRequest, content: KubeletContent): KubeletResponse => {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
  const endpoint = endpointAt(trimmed)
  if (endpoint === undefined) return text(404, "404: Page Not Found")
  return endpoint.methods.includes(method)
    ? endpoint.answer(content, query, trimmed)
    : text(405, "405: Method Not Allowed")
}
