import { genericResponse, requestEntityTooLarge, type Status, timeout, tooManyRequests } from "@rollcall/api"
import { guarded, type HandleError, type TimersShape } from "@rollcall/time"
import type { ApiServerShape } from "../ApiServer.ts"
import { type FlowControl, MaxInFlight, type Place } from "../flowcontrol/index.ts"
import { panicked } from "../pipeline/resumed.ts"
import type { VirtualResource } from "../security/ports.ts"
import { type Access, attributesOf, authenticate, authorize, impersonate } from "./access.ts"
import { type BodyProblem, BodyReader } from "./BodyReader.ts"
import { type BodyLimits, defaultBodyLimits } from "./bodyLimits.ts"
import { Call, UNAUTHENTICATED } from "./Call.ts"
import { Connections } from "./Connections.ts"
import { type ConnectionLimits, defaultConnectionLimits } from "./connectionLimits.ts"
import { questionOf } from "./flowQuestion.ts"
import { gaugesOf, type InFlightCounts } from "./gauges.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"
import { type HealthCheck, isHealthPath } from "./health.ts"
import { originForm } from "./http1Refusal.ts"
import { type Gauge, Metrics } from "./Metrics.ts"
import { isStatus } from "./options.ts"
import { Pipelines } from "./Pipelines.ts"
import { Refused } from "./Query.ts"
import { type RequestInfo, requestInfoOf } from "./RequestInfo.ts"
import { Routes } from "./Routes.ts"
import { serveResource } from "./resources.ts"
import { send, sendPageNotFound, sendStatus, sendText } from "./respond.ts"
import { makeRootPaths, type RootPaths } from "./rootPaths.ts"
import { connectionOf, defaultUnsentLimits, Unsent, type UnsentLimits } from "./Unsent.ts"
import type { VersionInfo } from "./version.ts"
import { WatchServer } from "./watches.ts"

export interface HandlerOptions extends Access {
  readonly server: ApiServerShape
  readonly timers: TimersShape
  /** From 0 to 1, of the watches' timeouts. */
  readonly chance: () => number
  /** Of requests, for `Audit-Id`. */
  readonly makeId: () => string
  readonly version: VersionInfo
  /** `host:port`, as discovery tells it. */
  readonly address: () => string
  /** Resources that are answered and not stored. */
  readonly virtual?: ReadonlyArray<VirtualResource>
  readonly healthChecks?: ReadonlyArray<HealthCheck>
  /** What keeps clients from starving each other. Default: limits of requests in flight. */
  readonly flowControl?: FlowControl
  readonly bodies?: Partial<BodyLimits>
  readonly unsent?: Partial<UnsentLimits>
  readonly connections?: Partial<ConnectionLimits>
  /** Time as clients have it, where `timers` goes faster: limits of the wire follow it. Default: `timers`. */
  readonly wireTimers?: TimersShape
  /** Further figures for `/metrics`. */
  readonly gauges?: ReadonlyArray<Gauge>
}

export interface Handler {
  readonly handle: (request: HttpRequest, response: HttpResponse) => void
  /** Ends all watches; whoever comes back is served as before. */
  readonly endWatches: () => void
  /** Those of the servers that it is the handler of. */
  readonly connections: Connections
  readonly handleError: HandleError
}

/**
 * The Kubernetes API as a handler of node's http, https and http2 (compatibility) servers. Plain functions throughout: a request
 * costs no fiber.
 */
export const makeHandler = (options: HandlerOptions): Handler => {
  const { server, timers, wireTimers = timers } = options
  const routes = new Routes(server.registry, options.virtual ?? [])
  const pipelines = new Pipelines()
  const flowControl = options.flowControl ?? new MaxInFlight()
  const inFlight: InFlightCounts = { readonly: 0, mutating: 0, other: 0 }
  const bodies = new BodyReader(wireTimers, { ...defaultBodyLimits, ...options.bodies })
  const unsent = new Unsent(wireTimers, { ...defaultUnsentLimits, ...options.unsent })
  const connections = new Connections(wireTimers, { ...defaultConnectionLimits, ...options.connections })
  const watches = new WatchServer({ server, timers, chance: options.chance, unsent })
  const mayCreate = (call: Call) => authorize(options, { ...attributesOf(call, call.identity), verb: "create" })
  const context = { server, watches, now: timers.now, mayCreate }
  const figures = [...flowControl.gauges, ...(options.gauges ?? [])]
  const metrics = new Metrics(gaugesOf({ server, inFlight, watches, unsent, bodies, connections }, figures))
  const rootPaths: RootPaths = makeRootPaths({ ...options, routes, metrics, pages: flowControl.pages })

  const route = (call: Call) => {
    const { info } = call
    if (!info.isResource) return rootPaths.serve(call)
    const found = routes.find(info.group, info.version, info.resource)
    if (found !== undefined) return serveResource(context, call, found)
    if (routes.groupVersion(info.group, info.version) === undefined) return sendPageNotFound(call)
    sendStatus(call, genericResponse(404))
  }

  const admit = (call: Call) => {
    call.onDone = (code) => {
      call.onDone = undefined
      measure(call, code)
    }
    const caller = authenticate(options, call)
    if (isStatus(caller)) return refuse(call, caller)
    if (call.connection !== undefined && caller.user !== ANONYMOUS) connections.identified(call.connection, caller.user)
    const userAgent = call.header("user-agent") ?? ""
    const user = impersonate(options, call, caller)
    if (isStatus(user)) {
      call.identity = { ...caller, userAgent }
      return refuse(call, user)
    }
    call.identity = { ...user, userAgent }
    if (!hasBody(call)) return enter(call, () => authorizeAndRoute(call))
    const refusal = authorize(options, attributesOf(call, user))
    if (refusal !== undefined) return refuse(call, refusal)
    bodies.read(call, user.user, (body, release) =>
      call.guard(() => {
        if (body === "broken") return call.onDone?.(0)
        if (typeof body === "string")
          return body === "tooLarge" ? sendStatus(call, tooLarge) : terminate(call, bodyRefusals[body])
        call.body = body
        call.releaseBody = release
        enter(call, () => route(call))
      })
    )
  }

  const authorizeAndRoute = (call: Call) => {
    if (!mayAnswer(call)) return terminate(call, tooMany)
    const refusal = authorize(options, attributesOf(call, call.identity))
    if (refusal === undefined) route(call)
    else sendStatus(call, refusal)
  }

  /** Nothing large is made for a client that does not read what it has. */
  const mayAnswer = ({ identity, info, request }: Call): boolean =>
    !readVerbs.has(info.verb) || unsent.mayProduce(connectionOf(request), identity.user) || isHealthPath(info.path)

  /** Answers in its turn, without the body, which need not have come. */
  const refuse = (call: Call, status: Status) => {
    enter(call, () => sendStatus(call, status))
    if (hasBody(call)) bodies.discard(call)
  }

  /** Asks for a place: the request is complete, so that no client can hold one by sending slowly. */
  const enter = (call: Call, work: () => void) => {
    if (!unsent.mayAnswer(call.identity.user)) {
      call.response.destroy()
      return
    }
    const place = flowControl.enter(questionOf(call), {
      start: (given) => call.guard(() => begin(call, given, work)),
      refuse: (given, retryAfterSeconds) =>
        call.guard(() => {
          showPlace(call, given)
          metrics.terminated(call.info, isKnown(call.info), 429)
          call.response.setHeader("Retry-After", retryAfterSeconds)
          sendText(call, 429, TOO_MANY)
        })
    })
    if (!place.isWaiting) return
    call.onDone = (code) => {
      call.onDone = undefined
      place.leave()
      measure(call, code)
    }
  }

  const begin = (call: Call, place: Place, work: () => void) => {
    const kind = kindOf(call)
    inFlight[kind]++
    call.onDone = (code) => {
      call.onDone = undefined
      inFlight[kind]--
      place.leave()
      measure(call, code)
    }
    showPlace(call, place)
    call.releaseBody?.()
    work()
  }

  const isKnown = ({ group, isResource, resource, version }: RequestInfo): boolean =>
    isResource && routes.find(group, version, resource) !== undefined

  const terminate = (call: Call, status: Status) => {
    metrics.terminated(call.info, isKnown(call.info), status.code ?? 500)
    sendStatus(call, status)
  }

  const measure = ({ info, query, startedMs }: Call, code: number) => {
    const known = isKnown(info)
    const dryRun = !query.empty && query.text("dryRun") !== undefined
    metrics.request(info, known, dryRun, code, (timers.now() - startedMs) / 1000)
  }

  const handle = (request: HttpRequest, response: HttpResponse) =>
    pipelines.enter(request, response, () => {
      // What throws before there is a call leaves nothing that could be answered.
      if (!guarded(timers, "http request", () => serve(request, response))) response.destroy()
    })

  const serve = (request: HttpRequest, response: HttpResponse) => {
    const url = originForm(request.url ?? "/")
    const mark = url.indexOf("?")
    const path = decoded(mark < 0 ? url : url.slice(0, mark))
    const query = mark < 0 ? "" : url.slice(mark + 1)
    const watching = query.includes("watch=") && isTrue(new URLSearchParams(query).get("watch"))
    const info = requestInfoOf(request.method ?? "GET", path ?? "/", watching)
    const call = new Call(request, response, info, query, timers.now(), unsent)
    call.guard = (work) => {
      try {
        work()
      } catch (thrown) {
        fail(call, thrown)
      }
    }
    const connection = connections.began(connectionOf(request))
    call.connection = connection
    response.on("close", () => {
      if (connection !== undefined) connections.ended(connection)
      call.guard(() => call.closed())
    })
    response.setHeader("Audit-Id", auditIdOf(request) ?? options.makeId())
    if (path === undefined) return send(call, 400, "text/plain; charset=utf-8", "400 Bad Request")
    call.guard(() => admit(call))
  }

  /** What throws ends its request: refused while that can still be said, else cut off. */
  const fail = (call: Call, thrown: unknown) => {
    const { request, response } = call
    const isRefusal = thrown instanceof Refused
    if (!isRefusal) {
      timers.handleError("http request", thrown, { method: request.method, uri: request.url })
      // An answer in the negotiated form may be what threw.
      call.negotiated = undefined
    }
    const tell = () => sendStatus(call, isRefusal ? thrown.status : panicked)
    if (response.headersSent || !guarded(timers, "http request", tell)) response.destroy()
  }
  return { handle, endWatches: () => watches.closeAll(), connections, handleError: timers.handleError }
}

/** Requests whose body is read; of others it is ignored, as Go's server does. */
const hasBody = ({ info, request }: Call): boolean => {
  if (!info.isResource || !bodyMethods.has(request.method ?? "")) return false
  const { headers } = request
  return headers["content-length"] !== "0"
}

const bodyMethods: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"])

const tooMany = tooManyRequests("Too many requests, please try again later.", 1)

const tooLarge = requestEntityTooLarge(`limit is ${defaultBodyLimits.bytes}`)

const bodyRefusals: Readonly<Record<Exclude<BodyProblem, "broken" | "tooLarge">, Status>> = {
  tooSlow: timeout("request did not complete within the allotted timeout", 1),
  tooMany
}

/** Upstream: tooManyRequests of apiserver/pkg/server/filters. Not an answer of the API. */
const TOO_MANY = "Too many requests, please try again later.\n"

const ANONYMOUS = "system:anonymous"

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"])

const kindOf = ({ info }: Call): keyof InFlightCounts => {
  if (!info.isResource) return "other"
  return readVerbs.has(info.verb) ? "readonly" : "mutating"
}

/** Uids and not names: what administrators call their levels is not for everybody to know. Nothing is told to those without a user. */
const showPlace = ({ identity, response }: Call, { flowSchemaUid, priorityLevelUid }: Place): void => {
  if (flowSchemaUid === undefined || priorityLevelUid === undefined || identity === UNAUTHENTICATED) return
  response.setHeader("X-Kubernetes-PF-FlowSchema-UID", flowSchemaUid)
  response.setHeader("X-Kubernetes-PF-PriorityLevel-UID", priorityLevelUid)
}

const isTrue = (text: string | null): boolean => text !== null && text.toLowerCase() !== "false" && text !== "0"

/** A path without its percent signs; undefined when they make no sense. */
const decoded = (path: string): string | undefined => {
  if (!path.includes("%")) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

const auditIdOf = (request: HttpRequest): string | undefined => {
  const given = request.headers["audit-id"]
  return typeof given === "string" && given !== "" && given.length <= 64 ? given : undefined
}
