import { createHash } from "node:crypto"
import { genericResponse, notAcceptable } from "@rollcall/api"
import type { ErrorHandling } from "@rollcall/time"
import type * as Context from "effect/Context"
import type { Call } from "../call/Call.ts"
import { send, sendPageNotFound, sendStatus, sendText, sendValue } from "../call/respond.ts"
import type { Metrics } from "../metrics/Metrics.ts"
import { mediaTypes, negotiate } from "../request/mediaTypes.ts"
import type { Routes } from "../request/Routes.ts"
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions, catchErrors } from "./discovery.ts"
import { type HealthCheck, isHealthPath, serveHealth } from "./health.ts"
import { makeOpenApiPaths } from "./openapiPaths.ts"
import type { VersionInfo } from "./version.ts"

/** The non-resource paths. */
export interface RootPaths {
  readonly serve: (call: Call) => void
}

/** Returns the registry of this process's other metrics, updated. */
export type ProcessMetrics = () => Context.Context<never>

export interface RootPathOptions {
  readonly routes: Routes
  /** Handles the errors of single resources in documents. */
  readonly timers: ErrorHandling
  readonly version: VersionInfo
  /** Returns the server's host and port. */
  readonly address: () => string
  readonly healthChecks?: ReadonlyArray<HealthCheck>
  readonly metrics: Metrics
  readonly processMetrics?: ProcessMetrics
  /** Text pages by path, which are not listed under `/`; `isDetailed` if the query has `includeRequestDetails`. */
  readonly pages?: ReadonlyMap<string, (isDetailed: boolean) => string>
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

/**
 * The health checks of a real server; a program that embeds this server replaces those for its storage and shutdown.
 */
const defaultChecks: ReadonlyArray<HealthCheck> = [
  { name: "ping", check: () => true },
  { name: "log", check: () => true },
  { name: "etcd", check: () => true },
  { name: "poststarthook/start-apiserver-admission-initializer", check: () => true },
  { name: "informer-sync", endpoints: ["readyz"], check: () => true },
  { name: "shutdown", endpoints: ["readyz"], check: () => true }
]

/** Returns the default checks, with given ones in place of those of the same name, and the other given ones. */
const checksOf = (given: ReadonlyArray<HealthCheck>): ReadonlyArray<HealthCheck> => [
  ...defaultChecks.map((check) => given.find(({ name }) => name === check.name) ?? check),
  ...given.filter(({ name }) => !defaultChecks.some((check) => check.name === name))
]

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"
/** Paths that exist, so that other methods than GET are answered with 405 instead of 404. */
const KNOWN = /^\/(?:version|metrics|apis?(?:\/.*)?)$/

/** An encoded discovery document. */
interface Document {
  readonly body: Buffer
  readonly etag: string
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of paths and what answers them, over one set of options.
export const makeRootPaths = (options: RootPathOptions): RootPaths => {
  const { routes } = options
  const { handleError } = options.timers
  const checks = checksOf(options.healthChecks ?? [])
  const openApiPaths = makeOpenApiPaths(routes, options.version.gitVersion, handleError)
  const catching = catchErrors("discovery", handleError)
  let generation = -1
  let documents = new Map<string, Document>()

  /** Aggregated discovery is large and requested often: made once for each state of the routes. */
  const document = (core: boolean): Document => {
    if (generation !== routes.generation) {
      documents = new Map()
      generation = routes.generation
    }
    const key = core ? "core" : "groups"
    const known = documents.get(key)
    if (known !== undefined) return known
    const body = Buffer.from(`${JSON.stringify(aggregatedDiscovery(routes, core, catching))}\n`)
    const etag = `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"`
    const made = { body, etag }
    documents.set(key, made)
    return made
  }

  const serveDiscovery = (call: Call, core: boolean) => {
    const negotiated = negotiate(call.header("accept"), "discovery")
    if (negotiated === undefined) return sendStatus(call, notAcceptable(mediaTypes))
    call.negotiated = negotiated
    call.response.setHeader("Vary", "Accept")
    if (negotiated.as === undefined) {
      return sendValue(call, 200, core ? apiVersions(options.address()) : apiGroupList(routes))
    }
    const { body, etag } = document(core)
    call.response.setHeader("ETag", etag)
    const known = call.header("if-none-match") === etag
    send(call, known ? 304 : 200, AGGREGATED, known ? "" : body)
  }

  const serveGroup = (call: Call, path: string) => {
    const [, root, group = "", version] = path.split("/")
    if (root === "api") return serveVersion(call, "", group)
    if (version !== undefined) return serveVersion(call, group, version)
    const versions = group === "" ? undefined : routes.groups().get(group)
    if (versions === undefined) return sendPageNotFound(call)
    serveValue(call, { kind: "APIGroup", apiVersion: "v1", ...apiGroup(group, versions) })
  }

  const serveVersion = (call: Call, group: string, version: string) => {
    const served = routes.groupVersion(group, version)
    if (served === undefined) return sendPageNotFound(call)
    serveValue(call, apiResourceList(group, version, served.values(), catching))
  }

  const serveValue = (call: Call, value: unknown) => {
    const negotiated = negotiate(call.header("accept"), "plain")
    if (negotiated === undefined) return sendStatus(call, notAcceptable(mediaTypes))
    call.negotiated = negotiated
    sendValue(call, 200, value)
  }

  const paths = (): ReadonlyArray<string> => {
    const all = [
      "/api",
      "/api/v1",
      "/apis",
      "/healthz",
      "/livez",
      "/metrics",
      "/openapi/v2",
      "/openapi/v3",
      "/readyz",
      "/version"
    ]
    for (const [group, versions] of routes.groups()) {
      if (group === "") continue
      all.push(`/apis/${group}`, ...versions.map((version) => `/apis/${group}/${version}`))
    }
    for (const endpoint of ["healthz", "livez", "readyz"]) {
      all.push(...checks.map(({ name }) => `/${endpoint}/${name}`))
    }
    return all.toSorted((left, right) => (left < right ? -1 : 1))
  }

  const serve = (call: Call) => {
    const { verb } = call.info
    const path = call.info.path.length > 1 ? call.info.path.replace(/\/$/, "") : call.info.path
    if (isHealthPath(path)) return serveHealth(call, checks)
    const known = KNOWN.test(path) || openApiPaths.serves(path)
    if (known && verb !== "get" && verb !== "head") return sendStatus(call, genericResponse(405))
    if (path === "/metrics") {
      const { metrics, processMetrics } = options
      return send(call, 200, METRICS_TYPE, metrics.text(processMetrics?.()))
    }
    if (openApiPaths.serves(path)) return openApiPaths.serve(call, path)
    const page = options.pages?.get(path)
    if (page !== undefined) return sendText(call, 200, page(call.query.text("includeRequestDetails") !== undefined))
    if (path === "/version") return send(call, 200, "application/json", JSON.stringify(options.version, undefined, 2))
    if (path === "/api" || path === "/apis") return serveDiscovery(call, path === "/api")
    if (path.startsWith("/api/") || path.startsWith("/apis/")) return serveGroup(call, path)
    if (path === "/") return serveValue(call, { paths: paths() })
    sendPageNotFound(call)
  }
  return { serve }
}
