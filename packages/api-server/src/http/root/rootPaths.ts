import { createHash } from "node:crypto"
import type { VersionInfo } from "@rollcall/api"
import { genericResponse } from "@rollcall/api"
import type { FamilySnapshot, MetricSet, TimersShape, Value } from "@rollcall/time"
import { expositionOf, HealthSlis, runAllSteps } from "@rollcall/time"
import type { TokenIssuer } from "../../core/ports/Security.ts"
import type { Call } from "../call/Call.ts"
import { send, sendBody, sendPageNotFound, sendStatus, sendText, sendUnchanged, sendValue } from "../call/respond.ts"
import { encodeBodyInSteps } from "../codec/encodeBody.ts"
import { serverFamilies } from "../metrics/accessFamilies.ts"
import {
  acceptsOneOf,
  JSON_TYPE,
  mediaTypeOf,
  mediaTypes,
  type Negotiated,
  negotiate,
  noAcceptedType,
  noRepresentation
} from "../request/mediaTypes.ts"
import type { Routes } from "../request/Routes.ts"
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions, catchErrors } from "./discovery.ts"
import type { HealthCheck } from "./HealthCheck.ts"
import { checksAt, healthEndpoints, serveCheck, serveChecks } from "./health.ts"
import { checksOf } from "./healthChecks.ts"
import { makeOpenApiPaths } from "./openapiPaths.ts"
import { serveProfile } from "./profiles.ts"
import { allGroups } from "./sortedGroups.ts"
import { serveFlagz, serveStatusz } from "./statusz.ts"

/** The non-resource paths. */
export interface RootPaths {
  readonly serve: (call: Call) => void
}

/** Returns this process's other metrics, as they are now. */
export type ProcessMetrics = () => ReadonlyArray<FamilySnapshot>

export interface RootPathOptions {
  readonly routes: Routes
  /** Handles the errors of single resources in documents. */
  readonly timers: TimersShape
  readonly version: VersionInfo
  /** Returns the server's host and port. */
  readonly address: () => string
  readonly healthChecks?: ReadonlyArray<HealthCheck>
  readonly metrics: MetricSet
  readonly processMetrics?: ProcessMetrics
  /** The flags of the program and their values as texts, in order, for `/flagz`. Default: none. */
  readonly flags?: Readonly<Record<string, string>>
  readonly issuer?: TokenIssuer
  /** Text pages by path, which are not listed under `/`; `isDetailed` if the query has `includeRequestDetails`. */
  readonly pages?: ReadonlyMap<string, (isDetailed: boolean) => string>
}

type Serve = (call: Call) => void

/** A path that the router serves: for GET only, in these media types, whatever slashes surround it. */
interface WebService {
  readonly produces: ReadonlyArray<string>
  readonly serve: Serve
}

/** Sends a page of metrics in the form that the client prefers. */
const sendMetrics = (call: Call, families: ReadonlyArray<FamilySnapshot>): void => {
  const { body, type } = expositionOf(families, call.header("accept"))
  sendBody(call, 200, type, typeof body === "string" ? body : Buffer.from(body), false)
}

/** Returns a path without the slashes around it, but with the first one. */
const trimmed = (path: string): string => `/${path.replace(/^\/+|\/+$/g, "")}`

/** Serves aggregated discovery, which is large and requested often: encoded once for each state of the routes. */
class AggregatedDocuments {
  private readonly routes: Routes
  private readonly catching: ReturnType<typeof catchErrors>
  private generation = -1
  private readonly documents = new Map<string, { readonly body: string | Uint8Array; readonly etag: string }>()
  private readonly aggregations: Value

  constructor(routes: Routes, catching: ReturnType<typeof catchErrors>, metrics: MetricSet) {
    this.aggregations = metrics.value(serverFamilies.discoveryAggregations)
    this.routes = routes
    this.catching = catching
  }

  serve(call: Call, core: boolean, { encoding }: Negotiated) {
    const { body, etag } = this.document(core, encoding)
    call.response.setHeader("Cache-Control", "public")
    call.response.setHeader("Vary", "Accept")
    call.response.setHeader("ETag", etag)
    if (call.header("if-none-match") === etag) return sendUnchanged(call)
    const type = `${mediaTypeOf[encoding]};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`
    sendBody(call, 200, type, typeof body === "string" ? body : Buffer.from(body), false)
  }

  private document(core: boolean, encoding: Negotiated["encoding"]) {
    const { catching, documents, routes } = this
    const generation = routes.generation + routes.remoteGeneration
    if (this.generation !== generation) documents.clear()
    this.generation = generation
    const key = `${core} ${encoding}`
    const known = documents.get(key)
    if (known !== undefined) return known
    this.aggregations.add()
    const content = aggregatedDiscovery(routes, core, catching)
    const body = runAllSteps(encodeBodyInSteps(mediaTypeOf[encoding], content)) ?? ""
    const etag = `"${createHash("sha512").update(JSON.stringify(content)).digest("hex").toUpperCase()}"`
    const made = { body, etag }
    documents.set(key, made)
    return made
  }
}

const serveValue = (call: Call, value: unknown) => {
  const negotiated = negotiate(call.header("accept"), "plain")
  if (negotiated === undefined) return sendStatus(call, noAcceptedType())
  call.negotiated = negotiated
  sendValue(call, 200, value)
}

/** Sends a value as JSON for people, whatever the client accepts. */
const sendIndented = (call: Call, value: unknown) => send(call, 200, JSON_TYPE, JSON.stringify(value, undefined, 2))

/** The documents of groups and versions under `/api` and `/apis`. */
class Discovery {
  private readonly routes: Routes
  private readonly address: () => string
  private readonly catching: ReturnType<typeof catchErrors>
  private readonly aggregated: AggregatedDocuments

  constructor({ address, metrics, routes, timers }: RootPathOptions) {
    this.routes = routes
    this.address = address
    this.catching = catchErrors("discovery", timers.handleError)
    this.aggregated = new AggregatedDocuments(routes, this.catching, metrics)
  }

  readonly core: Serve = (call) => this.root(call, true)
  readonly groups: Serve = (call) => this.root(call, false)

  private root(call: Call, core: boolean) {
    const negotiated = negotiate(call.header("accept"), "discovery")
    call.monitored = { subresource: core ? "api" : "apis", component: "apiserver" }
    if (negotiated !== undefined) return this.aggregated.serve(call, core, negotiated)
    serveValue(call, core ? apiVersions(this.address()) : apiGroupList(this.routes))
  }

  /** Serves the document of a group, to any method; returns whether there is such a group. */
  group(call: Call, group: string): boolean {
    const versions = group === "" ? undefined : allGroups(this.routes).get(group)
    if (versions === undefined) return false
    serveValue(call, { kind: "APIGroup", apiVersion: "v1", ...apiGroup(group, versions) })
    return true
  }

  /** Returns what serves the document of a version; undefined if there is no such version. */
  version(group: string, version: string): WebService | undefined {
    const served = this.routes.groupVersion(group, version)
    if (served === undefined) return undefined
    return {
      produces: mediaTypes,
      serve: (call) => serveValue(call, apiResourceList(group, version, served.values(), this.catching))
    }
  }
}

/** Answers as go-restful does: by method, then by what the client accepts. */
const serveWebService = (call: Call, service: WebService | undefined) => {
  if (service === undefined) return sendStatus(call, genericResponse(404))
  if (call.request.method !== "GET") return sendStatus(call, genericResponse(405))
  const { produces, serve } = service
  if (acceptsOneOf(call.header("accept"), produces)) serve(call)
  else sendStatus(call, noRepresentation(produces))
}

const JWKS_PATH = "/openid/v1/jwks"

/**
 * Adds the documents from which others learn how to verify service account tokens. Upstream:
 * pkg/routes/openidmetadata.go; pkg/serviceaccount/openidmetadata.go.
 */
const addIssuer = (
  services: Map<string, WebService>,
  { algorithms, issuer, keys }: TokenIssuer,
  address: () => string
) => {
  const document = (type: string, content: () => object): WebService => ({
    produces: [type],
    serve: (call) => {
      call.response.setHeader("Cache-Control", "public, max-age=3600")
      send(call, 200, type, JSON.stringify(content()))
    }
  })
  const configuration = () => ({
    issuer,
    jwks_uri: `https://${address()}${JWKS_PATH}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: algorithms
  })
  services.set("/.well-known/openid-configuration", document(JSON_TYPE, configuration))
  services.set(
    JWKS_PATH,
    document("application/jwk-set+json", () => ({ keys }))
  )
}

/** Returns the paths that are compared as they stand, and what serves them, to any method. */
const exactPaths = (options: RootPathOptions): Map<string, Serve> => {
  const { metrics, processMetrics } = options
  const checks = checksOf(options.healthChecks ?? [])
  const openApi = makeOpenApiPaths(options)
  const slis = new HealthSlis()
  const startedMs = options.timers.now()
  const serveMetrics: Serve = (call) => {
    call.response.setHeader("Process-Start-Time-Unix", Math.floor(startedMs / 1000))
    sendMetrics(call, [...metrics.snapshot(), ...(processMetrics?.() ?? [])])
  }
  const paths = new Map<string, Serve>([
    ["/metrics", serveMetrics],
    ["/metrics/slis", (call) => sendMetrics(call, slis.set.snapshot())],
    ["/flagz", (call) => serveFlagz(call, options.flags ?? {})],
    ["/statusz", (call) => serveStatusz(call, options.version, startedMs, options.timers.now())],
    ["/openapi/v2", openApi.v2],
    ["/openapi/v3", openApi.v3],
    ["/openapi/v3/", openApi.groupVersion]
  ])
  for (const endpoint of healthEndpoints) {
    const own = checksAt(endpoint, checks)
    paths.set(`/${endpoint}`, (call) => serveChecks(call, endpoint, own, slis))
    for (const check of own) paths.set(`/${endpoint}/${check.name}`, (call) => serveCheck(call, endpoint, check, slis))
  }
  return paths
}

/**
 * Returns the handler of paths that are no resources: those of the router first, then the others. Upstream:
 * apiserver/pkg/server, director; mux, PathRecorderMux.
 */
export const makeRootPaths = (options: RootPathOptions): RootPaths => {
  const { pages, routes } = options
  const discovery = new Discovery(options)
  const exact = exactPaths(options)
  const webServices = new Map<string, WebService>([
    ["/api", { produces: mediaTypes, serve: discovery.core }],
    ["/version", { produces: [JSON_TYPE], serve: (call) => sendIndented(call, options.version) }]
  ])

  if (options.issuer !== undefined) addIssuer(webServices, options.issuer, options.address)

  const listed = (): ReadonlyArray<string> => {
    const all = [...webServices.keys(), ...exact.keys(), "/apis", "/apis/"]
    for (const [group, versions] of allGroups(routes)) {
      if (group === "") all.push(...versions.map((version) => `/api/${version}`))
      else all.push(`/apis/${group}`, ...versions.map((version) => `/apis/${group}/${version}`))
    }
    return all.toSorted((left, right) => (left < right ? -1 : 1))
  }

  /** Serves `/apis` and what is below; returns whether it answered. */
  const serveApis = (call: Call): boolean => {
    const [, , group, version, ...more] = trimmed(call.info.path).split("/")
    if (group === undefined) {
      if (call.info.path.length > "/apis/".length) return false
      discovery.groups(call)
    } else if (version === undefined) return discovery.group(call, group)
    else if (routes.isBuiltIn(group))
      serveWebService(call, more.length > 0 ? undefined : discovery.version(group, version))
    else {
      // The versions of custom resources are no web services: they answer to any method.
      const served = discovery.version(group, version)
      if (served === undefined || more.length > 0) return false
      served.serve(call)
    }
    return true
  }

  const serve = (call: Call) => {
    const { path } = call.info
    const handler = exact.get(path)
    if (handler !== undefined) return handler(call)
    for (const [root, service] of webServices) {
      if (path !== root && !path.startsWith(`${root}/`)) continue
      const rest = trimmed(path).slice(root.length + 1)
      if (rest === "") return serveWebService(call, service)
      return serveWebService(call, root === "/api" ? discovery.version("", rest) : undefined)
    }
    if ((path === "/apis" || path.startsWith("/apis/")) && serveApis(call)) return
    if (path.startsWith("/openapi/v3/")) return exact.get("/openapi/v3/")?.(call)
    if (path === "/" || path === "/index.html") return sendIndented(call, { paths: listed() })
    const page = pages?.get(path)
    if (page !== undefined) return sendText(call, 200, page(call.query.text("includeRequestDetails") !== undefined))
    if (!serveProfile(call)) sendPageNotFound(call)
  }
  return { serve }
}
