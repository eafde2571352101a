import { type FeatureGates, genericResponse, type Status } from "@rollcall/api"
import type { FlowControl, Place } from "@rollcall/flow-control"
import { guarded, type TimersShape } from "@rollcall/time"
import { panicStatus } from "../../core/pipeline/continuations.ts"
import { authorizationRefusal } from "../../core/ports/authorizationRefusal.ts"
import type { Turns } from "../../core/turns/Turns.ts"
import type { Aggregator } from "../aggregation/Aggregator.ts"
import { Call, type CallOwner, hasBody } from "../call/Call.ts"
import { sendPageNotFound, sendRefusal, sendStatus, sendText, sendValue } from "../call/respond.ts"
import type { AccessMetrics } from "../metrics/AccessMetrics.ts"
import type { RequestMetrics } from "../metrics/RequestMetrics.ts"
import { InvalidParameter, isStatus, Query } from "../request/Query.ts"
import { decodedPath, originForm, type RequestInfo, requestInfoOf } from "../request/RequestInfo.ts"
import type { Routes } from "../request/Routes.ts"
import { type LocalApi, localApiOf, OWN_IDENTITY, serveLocalApi } from "../resources/localApi.ts"
import type { ResourceContext } from "../resources/passToServer.ts"
import { serveResource } from "../resources/resources.ts"
import { isHealthPath } from "../root/health.ts"
import type { RootPaths } from "../root/rootPaths.ts"
import { type BodyReader, LONG_BODY_BYTES } from "../wire/BodyReader.ts"
import { type Connections, connectionOf } from "../wire/Connections.ts"
import type { HttpRequest, HttpResponse } from "../wire/HttpPort.ts"
import { Outbox } from "../wire/Outbox.ts"
import type { Pipelines } from "../wire/Pipelines.ts"
import type { Unsent } from "../wire/Unsent.ts"
import { type Access, attributesOf, auditIdOf, authenticate, flowRequestOf } from "./access.ts"
import { refuseAddress, refuseEscape } from "./addressFaults.ts"
import { Impersonation } from "./Impersonation.ts"
import { bodyRefusals, TOO_MANY, tooLarge, tooMany } from "./overloadRefusals.ts"
import { setPriorityHeaders } from "./priorityHeaders.ts"
import { type Refusing, refuseWhileStopping } from "./refuseWhileStopping.ts"
import { endInTime } from "./requestTimeout.ts"

/** The services of a HandlerChain. */
export interface ChainParts {
  readonly access: Access
  readonly gates: Pick<FeatureGates, "ConstrainedImpersonation">
  readonly timers: TimersShape
  /** Run as the clocks of clients do, where `timers` runs faster. */
  readonly wireTimers: TimersShape
  readonly makeId: () => string
  /** Orders the requests of one connection. */
  readonly pipelines: Pipelines
  readonly routes: Routes
  readonly resources: ResourceContext
  readonly rootPaths: RootPaths
  readonly aggregator: Aggregator
  readonly localApis: ReadonlyArray<LocalApi>
  readonly flowControl: FlowControl
  readonly bodies: BodyReader
  readonly unsent: Unsent
  readonly connections: Connections
  readonly requests: RequestMetrics
  readonly accesses: AccessMetrics
  /** Returns real time in milliseconds, with fractions. */
  readonly clock: () => number
}

/**
 * The rounds in which pieces of large answers are sent. A round is as long as a time slice, so that a request does not
 * wait for it longer than for another request. A single member may be megabytes and take far longer; the pause after
 * such a round lets a new connection, which needs several round trips, proceed.
 */
const LARGE_ANSWER_ROUNDS = { roundMs: 5, restFactor: 0.2, restAfterMs: 10 }

/**
 * The handler chain of a request: authentication, its body, its place in flow control, authorization, its handler. An
 * error thrown in a step ends that request. Upstream: apiserver/pkg/server/config.go, DefaultBuildHandlerChain.
 */
export class HandlerChain implements CallOwner {
  private readonly parts: ChainParts
  private readonly impersonation: Impersonation
  readonly answers: Outbox
  readonly turns: Turns
  /** How new requests are refused, because the server stops; undefined while it does not. */
  refusing: Refusing | undefined

  constructor(parts: ChainParts) {
    this.parts = parts
    this.turns = parts.resources.server.turns
    this.impersonation = new Impersonation(parts.access, parts.gates.ConstrainedImpersonation)
    this.answers = new Outbox(parts.timers, LARGE_ANSWER_ROUNDS)
  }

  /** Handles a request after the earlier ones of its connection. */
  readonly handle = (request: HttpRequest, response: HttpResponse): void => {
    const { pipelines, timers } = this.parts
    pipelines.enter(request, response, () => {
      // Without a call there is nothing to answer.
      if (!guarded(timers, "http request", () => this.serve(request, response))) response.destroy()
    })
  }

  private serve(request: HttpRequest, response: HttpResponse) {
    const { aggregator, clock, connections, makeId, routes, unsent, wireTimers } = this.parts
    const url = originForm(request.url ?? "/")
    const mark = url.indexOf("?")
    const path = decodedPath(mark < 0 ? url : url.slice(0, mark))
    if (path === undefined) return refuseEscape(request, response)
    const query = mark < 0 ? "" : url.slice(mark + 1)
    const watching = query.includes("watch") && new Query(query).flag("watch") === true
    const info = requestInfoOf(request.method ?? "GET", path, watching)
    if (info.isResource && info.parts === 0) return refuseAddress(response, url)
    const remote = aggregator.find(info.path)
    const isLocal = info.isResource && remote === undefined
    const route = isLocal ? routes.find(info.group, info.version, info.resource) : undefined
    const call = new Call(this, { request, response, info, route, remote, query, startedMs: clock(), unsent })
    const connection = connections.startRequest(connectionOf(request))
    call.connection = connection
    response.on("close", () => {
      if (connection !== undefined) connections.endRequest(connection)
      call.guard(() => call.close())
    })
    response.setHeader("Audit-Id", auditIdOf(request) ?? makeId())
    if (this.refusing !== undefined && refuseWhileStopping(call, this.refusing)) return
    call.guard(() => {
      if (call.query.empty || !endInTime(call, wireTimers)) this.admit(call)
    })
  }

  /** Answers with the Status of the error if the answer has not begun; otherwise cuts the answer off. */
  onError(call: Call, thrown: unknown): void {
    if (call.isExpired) return
    const { request, response } = call
    const { timers } = this.parts
    const isRefusal = thrown instanceof InvalidParameter
    if (!isRefusal) {
      timers.handleError("http request", thrown, { method: request.method, uri: request.url })
      // The negotiated encoding may itself be what threw.
      call.negotiated = undefined
    }
    const sendFailure = () => (isRefusal ? sendStatus(call, thrown.status) : sendValue(call, 500, panicStatus))
    if (response.headersSent || !guarded(timers, "http request", sendFailure)) response.destroy()
  }

  onEnd(call: Call, code: number): void {
    const { clock, requests } = this.parts
    const now = clock()
    call.inFlightAs?.add(-1, now)
    call.inQueueAs?.add(-1, now)
    call.place?.leave()
    // A watch is counted when it ends.
    if (code === 0) requests.aborted(call)
    else if (call.info.verb !== "watch" || code !== 200) requests.request(call, code, (now - call.startedMs) / 1000)
  }

  onClose(call: Call): void {
    const { clock, requests } = this.parts
    const { info, response, startedMs } = call
    if (info.verb === "watch" && response.statusCode === 200) requests.request(call, 200, (clock() - startedMs) / 1000)
    requests.responded(call)
  }

  /** Authenticates the caller; authorizes a request with a body before the body is read. */
  private admit(call: Call) {
    const { access, accesses, clock, connections } = this.parts
    // A reading of the clock costs half a microsecond: the call has just begun.
    const beganMs = call.startedMs
    const caller = authenticate(access, call)
    const isRefused = isStatus(caller)
    const seconds = (clock() - beganMs) / 1000
    accesses.authenticated(isRefused ? "error" : "success", isRefused ? undefined : caller.user, seconds)
    if (isRefused) return this.refuse(call, caller)
    if (call.connection !== undefined && caller.user !== ANONYMOUS) connections.setUser(call.connection, caller.user)
    const userAgent = call.header("user-agent") ?? ""
    const user = this.impersonation.userOf(call, caller)
    if (user !== caller) accesses.impersonated(!isStatus(user), (clock() - beganMs) / 1000 - seconds)
    if (isStatus(user)) {
      call.identity = { ...caller, userAgent }
      call.precedesFlow = true
      return this.refuse(call, user)
    }
    call.identity = { ...user, userAgent }
    if (!hasBody(call)) return this.enter(call, () => this.authorizeAndRoute(call))
    const refusal = this.authorize(call)
    if (refusal === undefined) this.readBody(call)
    else this.refuse(call, refusal)
  }

  /** Returns the refusal of a request whose user may not make it. */
  private authorize(call: Call): Status | undefined {
    const { access, accesses, clock } = this.parts
    const beganMs = clock()
    const attributes = attributesOf(call, call.identity)
    const decided = access.authorizer.authorize(attributes)
    accesses.authorized(decided, (clock() - beganMs) / 1000)
    call.isServed = decided.decision === "Allow"
    return call.isServed ? undefined : authorizationRefusal(attributes, decided)
  }

  private readBody(call: Call) {
    this.parts.bodies.read(call, call.identity.user, (body, release) =>
      call.guard(() => {
        if (body === "broken") return call.done(0)
        if (body === "tooLarge") return sendStatus(call, tooLarge)
        if (typeof body === "string") return this.terminate(call, bodyRefusals[body])
        call.body = body
        call.releaseBody = release
        this.enter(call, () => this.route(call))
      })
    )
  }

  private authorizeAndRoute(call: Call) {
    if (!this.mayAnswer(call)) return this.terminate(call, tooMany)
    const refusal = this.authorize(call)
    if (refusal === undefined) this.route(call)
    else sendRefusal(call, refusal)
  }

  private route(call: Call) {
    const { info, remote, route } = call
    const { aggregator, resources, rootPaths, routes } = this.parts
    if (remote !== undefined) return aggregator.serve(call, remote)
    const local = route === undefined ? localApiOf(this.parts.localApis, info.path) : undefined
    if (local !== undefined) return serveLocalApi(call, local, resources.server.connect(OWN_IDENTITY))
    if (!info.isResource) return rootPaths.serve(call)
    if (route !== undefined) return serveResource(resources, call, route)
    if (isRouted(info) && routes.isBuiltIn(info.group)) return sendStatus(call, genericResponse(404))
    sendPageNotFound(call)
  }

  /** Whether the answer of a read may be produced: not for a client that does not read its answers. */
  private mayAnswer({ identity, info, request }: Call): boolean {
    if (!readVerbs.has(info.verb) || isHealthPath(info.path)) return true
    return this.parts.unsent.mayProduce(connectionOf(request), identity.user)
  }

  /** Answers with a refusal, without waiting for the rest of the body. */
  private refuse(call: Call, status: Status): void {
    this.enter(call, () => sendRefusal(call, status))
    if (hasBody(call)) this.parts.bodies.discard(call)
  }

  /** Enters flow control: the request is complete, so that no client can hold a seat by sending slowly. */
  private enter(call: Call, work: () => void): void {
    const { clock, flowControl, requests, unsent } = this.parts
    if (call.isDone) return
    if (!unsent.mayAnswer(call.identity.user)) {
      call.response.destroy()
      return
    }
    const place = flowControl.enter(flowRequestOf(call), {
      start: (given) => call.guard(() => this.begin(call, given, work)),
      refuse: (given, retryAfterSeconds) =>
        call.guard(() => {
          setPriorityHeaders(call, given)
          requests.dropped(call)
          requests.terminated(call, 429)
          call.isServed = false
          call.response.setHeader("Retry-After", retryAfterSeconds)
          sendText(call, 429, TOO_MANY)
        })
    })
    if (!place.isWaiting) return
    call.place = place
    call.queuedMs = clock()
    call.inQueueAs = requests.inQueue[kindOf(call)]
    call.inQueueAs.add(1, call.queuedMs)
  }

  private begin(call: Call, place: Place, work: () => void) {
    if (call.isDone) return place.leave()
    const { accesses, clock, requests } = this.parts
    const now = clock()
    if (call.inQueueAs !== undefined) {
      call.inQueueAs.add(-1, now)
      call.inQueueAs = undefined
      call.waitedMs = now - call.queuedMs
    }
    accesses.waited(call.waitedMs / 1000)
    if (call.info.isResource) {
      call.inFlightAs = requests.inFlight[kindOf(call)]
      call.inFlightAs.add(1, now)
    }
    call.place = place
    setPriorityHeaders(call, place)
    // A large body waits for its user's time slice, and is charged until it has been read.
    if (call.body.length < LONG_BODY_BYTES) call.releaseBody?.()
    work()
  }

  private terminate(call: Call, status: Status): void {
    this.parts.requests.terminated(call, status.code ?? 500)
    sendStatus(call, status)
  }
}

/** Whether the router may know the path: `/apis//` has no group, and is not the core group either. */
const isRouted = ({ group, path }: RequestInfo): boolean => group !== "" || path.startsWith("/api/")

const ANONYMOUS = "system:anonymous"

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"])

const kindOf = ({ info }: Call): keyof RequestMetrics["inFlight"] =>
  readVerbs.has(info.verb) ? "readOnly" : "mutating"
