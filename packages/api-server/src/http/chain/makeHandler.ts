import { defaultRelease, type FeatureGates, featureGatesOf, type VersionInfo } from "@rollcall/api"
import { type FlowControl, MaxInFlight } from "@rollcall/flow-control"
import { isWebSocketRequest } from "@rollcall/streams/request"
import { type HandleError, MetricSet, type TimersShape } from "@rollcall/time"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import type { VirtualResource } from "../../core/admission/VirtualResource.ts"
import type { TokenIssuer } from "../../core/ports/Security.ts"
import { Aggregator } from "../aggregation/Aggregator.ts"
import type { ProxyCertificate } from "../aggregation/RemoteClient.ts"
import type { Call } from "../call/Call.ts"
import { AccessMetrics } from "../metrics/AccessMetrics.ts"
import { RequestMetrics } from "../metrics/RequestMetrics.ts"
import { requestFamilies } from "../metrics/requestFamilies.ts"
import { WatchMetrics } from "../metrics/WatchMetrics.ts"
import { mayChangeProtocol } from "../request/longRunning.ts"
import { Routes } from "../request/Routes.ts"
import { discoveredLocal, type LocalApi } from "../resources/localApi.ts"
import { NodeProxy } from "../resources/NodeProxy.ts"
import { type ProbeComponent, probeThisMachine } from "../resources/probeComponent.ts"
import { type KubeletTransportShape, noKubelets } from "../resources/proxy/KubeletTransport.ts"
import { WatchServer } from "../resources/watches.ts"
import type { FeatureState } from "../root/FeatureState.ts"
import type { HealthCheck } from "../root/HealthCheck.ts"
import { makeRootPaths, type ProcessMetrics } from "../root/rootPaths.ts"
import { BodyReader } from "../wire/BodyReader.ts"
import { type BodyLimits, defaultBodyLimits } from "../wire/bodyLimits.ts"
import { type ConnectionLimits, Connections, defaultConnectionLimits } from "../wire/Connections.ts"
import { DateLine } from "../wire/DateLine.ts"
import type { HttpRequest, HttpResponse } from "../wire/HttpPort.ts"
import { Outbox } from "../wire/Outbox.ts"
import { Pipelines } from "../wire/Pipelines.ts"
import { defaultUnsentLimits, Unsent, type UnsentLimits } from "../wire/Unsent.ts"
import { type Access, attributesOf, authorize } from "./access.ts"
import { addGauges } from "./gauges.ts"
import { HandlerChain } from "./HandlerChain.ts"
import type { Refusing } from "./refuseWhileStopping.ts"

export interface HandlerOptions extends Access {
  readonly server: ApiServerShape
  readonly timers: TimersShape
  /** Random numbers from 0 to 1, for the watches' timeouts. */
  readonly random: () => number
  /** Makes request ids for `Audit-Id`. */
  readonly makeId: () => string
  readonly version: VersionInfo
  /** `host:port`, as discovery reports it. */
  readonly address: () => string
  /** Resources that are answered but not stored. */
  readonly virtual?: ReadonlyArray<VirtualResource>
  readonly healthChecks?: ReadonlyArray<HealthCheck>
  /** Says how controller manager and scheduler are; by default they are asked on their ports of this machine. */
  readonly probeComponent?: ProbeComponent
  /** Keeps clients from starving each other. Default: limits of requests in flight. */
  readonly flowControl?: FlowControl
  /** The connection to kubelets, for `nodes/proxy`. Default: none. */
  readonly kubelets?: KubeletTransportShape
  /** The APIs whose objects are computed when they are read. Default: none. */
  readonly localApis?: ReadonlyArray<LocalApi>
  readonly bodies?: Partial<BodyLimits>
  readonly unsent?: Partial<UnsentLimits>
  readonly connections?: Partial<ConnectionLimits>
  /** Wall-clock timers, where `timers` runs faster: network limits use them. Default: `timers`. */
  readonly wireTimers?: TimersShape
  /** Returns the certificate by which aggregated API servers trust this one to name users. Default: none. */
  readonly proxyCertificate?: () => ProxyCertificate | undefined
  /** The issuer of service account tokens, for its discovery documents. */
  readonly issuer?: TokenIssuer
  /** The gates of the release that is emulated. Default: those of the newest. */
  readonly gates?: Pick<FeatureGates, "ConstrainedImpersonation">
  /** The feature gates, for `/metrics`. */
  readonly features?: ReadonlyArray<FeatureState>
  /** The flags of the program and their values as texts, in order, for `/flagz`. Default: none. */
  readonly flags?: Readonly<Record<string, string>>
  /** Other metrics of this process, which `/metrics` appends to the server's own. */
  readonly processMetrics?: ProcessMetrics
}

export interface Handler {
  readonly handle: (request: HttpRequest, response: HttpResponse) => void
  /** Ends all watches within this time, by default at once; clients that reconnect are served as before. */
  readonly endWatches: (withinMs?: number) => void
  /** Answers new requests with 503 or 429 from now on, except those for health and metrics: the server stops. */
  readonly refuseRequests: (refusing: Refusing) => void
  /** The connections of the servers that use this handler. */
  readonly connections: Connections
  /** The Date header of an answer, for connections that are not Node's. */
  readonly dateLine: () => string
  readonly handleError: HandleError
  /** Called when the TLS handshake of a connection has failed. */
  readonly onTlsError: () => void
  /** Whether the request may be answered in another protocol, if it asks for one. */
  readonly mayUpgrade: (request: Pick<HttpRequest, "headers" | "url">) => boolean
}

/**
 * Makes the Kubernetes API as a handler for node's http, https and http2 (compatibility) servers. It consists of plain
 * functions: a request costs no fiber.
 */
export const makeHandler = (options: HandlerOptions): Handler => {
  const { makeId, server, timers, wireTimers = timers } = options
  const routes = new Routes(server.registry, options.virtual ?? [])
  const aggregator: Aggregator = new Aggregator({
    server,
    timers: wireTimers,
    now: timers.now,
    ...(options.proxyCertificate === undefined ? {} : { certificate: options.proxyCertificate }),
    changed: () => setRemote()
  })
  const { localApis = [] } = options
  /** An APIService takes the place of a computed API of its name. */
  const setRemote = () => {
    const remote = aggregator.discovered()
    const hidden = new Set(remote.map(({ group, version }) => `${group}/${version}`))
    const shown = localApis.filter(({ group, version }) => !hidden.has(`${group}/${version}`))
    routes.setRemote([...remote, ...shown.map(discoveredLocal)])
  }
  if (!aggregator.isIdle || localApis.length > 0) setRemote()
  const pipelines = new Pipelines(setImmediate)
  const flowControl = options.flowControl ?? new MaxInFlight()
  const { now: clock, set } = server.metrics ?? { set: new MetricSet(), now: wireTimers.now }
  const bodies = new BodyReader(wireTimers, { ...defaultBodyLimits, ...options.bodies })
  const unsent = new Unsent(wireTimers, { ...defaultUnsentLimits, ...options.unsent })
  const connections = new Connections(wireTimers, { ...defaultConnectionLimits, ...options.connections })
  const outbox = new Outbox(timers)
  const watches = new WatchServer({
    server,
    timers,
    wireTimers,
    outbox,
    random: options.random,
    unsent,
    metrics: new WatchMetrics(set, clock)
  })
  const mayCreate = (call: Call) => authorize(options, { ...attributesOf(call, call.identity), verb: "create" })
  const nodeProxy = new NodeProxy(options.kubelets ?? noKubelets)
  const { healthChecks = [], probeComponent = probeThisMachine } = options
  const { handleError, now } = timers
  const resources = { server, watches, nodeProxy, healthChecks, probeComponent, now, handleError, mayCreate, outbox }
  const { features = [], gates = featureGatesOf(defaultRelease), version } = options
  addGauges(set, { server, routes, watches, unsent, bodies, connections, nodeProxy, version, features })
  flowControl.addMetrics(set)
  const tlsErrors = set.value(requestFamilies.tlsErrors)
  const rootPaths = makeRootPaths({ ...options, routes, metrics: set, pages: flowControl.pages })
  const limits = { flowControl, bodies, unsent, connections }
  const chain = new HandlerChain({
    ...limits,
    pipelines,
    access: options,
    gates,
    timers,
    wireTimers,
    makeId,
    routes,
    resources,
    rootPaths,
    aggregator,
    localApis,
    requests: new RequestMetrics(set, clock),
    accesses: new AccessMetrics(set),
    clock
  })

  return {
    handle: chain.handle,
    endWatches: (withinMs = 0) => watches.closeAll(withinMs),
    refuseRequests: (refusing) => {
      chain.refusing = refusing
    },
    connections,
    dateLine: new DateLine(wireTimers).text,
    handleError: timers.handleError,
    onTlsError: () => tlsErrors.add(),
    mayUpgrade: ({ headers, url = "" }) =>
      aggregator.find(url) !== undefined || mayChangeProtocol(url, isWebSocketRequest(headers))
  }
}
