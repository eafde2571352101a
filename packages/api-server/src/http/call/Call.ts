import type { Place } from "@rollcall/flow-control"
import type { Steps } from "@rollcall/time"
import type { Identity } from "../../core/pipeline/Exchange.ts"
import type { Turns } from "../../core/turns/Turns.ts"
import type { Peak } from "../metrics/Peak.ts"
import type { CountedCall } from "../metrics/RequestMetrics.ts"
import type { MonitoredPath } from "../metrics/requestLabels.ts"
import type { Negotiated } from "../request/mediaTypes.ts"
import { Query } from "../request/Query.ts"
import type { RemoteVersion } from "../request/RemoteVersions.ts"
import type { RequestInfo } from "../request/RequestInfo.ts"
import type { Route } from "../request/Routes.ts"
import { type Connection, connectionOf } from "../wire/Connections.ts"
import type { HttpRequest, HttpResponse } from "../wire/HttpPort.ts"
import { endInPieces, type Outbox } from "../wire/Outbox.ts"
import type { Unsent, UnsentEntry } from "../wire/Unsent.ts"
import { type ListPieces, ListStream } from "./ListStream.ts"

/** The parts of a new call. */
export interface CallParts {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly info: RequestInfo
  /** Present if `info` names a served resource. */
  readonly route: Route | undefined
  /** Present if another API server serves the path. */
  readonly remote: RemoteVersion | undefined
  readonly query: string
  readonly startedMs: number
  readonly unsent: Unsent
}

/** The server of a call: the services that the call uses, and the callbacks for its end. */
export interface CallOwner {
  /** Sends answers that are produced in pieces. */
  readonly answers: Outbox
  /** Divides the thread among long-running requests. */
  readonly turns: Turns
  /** Called with what a part of the call's work threw. */
  readonly onError: (call: Call, thrown: unknown) => void
  /** Called once: with the code when the answer starts or is sent, or with 0 when the client is gone before. */
  readonly onEnd: (call: Call, code: number) => void
  /** Called once the response is complete, or the client is gone. */
  readonly onClose: (call: Call) => void
}

/** One HTTP request in the server. */
export class Call {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly info: RequestInfo
  readonly route: Route | undefined
  readonly remote: RemoteVersion | undefined
  /** Admission may change it where it is the options of a connection. */
  query: Query
  /** Set by authentication, which comes before all uses. */
  identity: Identity = UNAUTHENTICATED
  /** Set by content negotiation; errors before it are JSON. */
  negotiated: Negotiated | undefined = undefined
  /** The warnings that any answer to the call has. */
  warnings: ReadonlyArray<string> = []
  /** Complete before the request is served; empty for methods without a body. */
  body: Buffer = NO_BODY
  /** Releases the memory charged for the body. */
  releaseBody: (() => void) | undefined = undefined
  /** The request's place in flow control: queued, then executing; undefined before, and when it is refused at once. */
  place: Place | undefined = undefined
  /** The counter in which it is counted while it executes. */
  inFlightAs: Peak | undefined = undefined
  /** The counter in which it is counted while it waits. */
  inQueueAs: Peak | undefined = undefined
  /** When it began to wait. */
  queuedMs = 0
  /** How long it waited in flow control. */
  waitedMs = 0
  /** Whether it reached its handler. Requests that are refused before are not counted by resource, as upstream. */
  isServed = false
  /** How it is counted if it is not about a resource; undefined if it is not counted. */
  monitored: MonitoredPath | undefined = undefined
  /** Whether it is about a deprecated version. */
  isDeprecated = false
  /** The subprotocols that it asks for, if one of them was a token that authenticates it: the others. */
  subprotocols: string | undefined = undefined
  /** The size of the response so far. */
  sentBytes = 0
  series: CountedCall["series"] = undefined
  isDone = false
  /** Whether it is refused before flow control decides about it. */
  precedesFlow = false
  /** Whether its client was answered that its time is over; the rest of its work is not answered. */
  isExpired = false
  readonly startedMs: number
  readonly unsent: Unsent
  /** The connection of the request, where connections are tracked. */
  connection: Connection | undefined = undefined
  /** Its unread data, once that is counted. */
  private unsentEntry: UnsentEntry | undefined = undefined
  private readonly owner: CallOwner

  constructor(owner: CallOwner, { info, query, remote, request, response, route, startedMs, unsent }: CallParts) {
    this.owner = owner
    this.request = request
    this.response = response
    this.info = info
    this.route = route
    this.remote = remote
    this.query = query === "" ? NO_QUERY : new Query(query)
    this.startedMs = startedMs
    this.unsent = unsent
  }

  /** Whether the resource is served. */
  get isKnown(): boolean {
    return this.route !== undefined
  }

  /**
   * Ends the response. The unread part of a large body is counted in `unsent` until the client has read it or is gone.
   */
  end(body: Buffer | string | undefined): void {
    const { response } = this
    if (body !== undefined) this.sentBytes += body.length
    if (body === undefined || body.length < COUNTED_BYTES) {
      // An HTTP/2 connection has hundreds of streams, each of which uses memory until its client has read the answer.
      if (this.request.stream !== undefined) this.countUnsent(STREAM_BYTES)
      response.end(body)
      return
    }
    const bytes = typeof body === "string" ? Buffer.from(body) : body
    const entry = this.countUnsent(bytes.length + STREAM_BYTES)
    endInPieces(response, bytes, (written) => {
      entry.written += written
    })
  }

  /** Ends the response with a list, of which `first` is the first piece; `pieces` makes the others. */
  stream(pieces: ListPieces, first: Buffer | string, isGzipped: boolean): void {
    const entry = this.countUnsent(first.length + pieces.left)
    new ListStream(this, pieces, this.owner.answers, entry, isGzipped).begin(first)
  }

  private countUnsent(bytes: number): UnsentEntry {
    this.unsentEntry = this.unsent.register(connectionOf(this.request), this.identity.user, this.response, bytes)
    return this.unsentEntry
  }

  /** Releases what the call uses; called when the response is complete, or its client is gone. */
  close(): void {
    this.releaseBody?.()
    if (this.unsentEntry !== undefined) this.unsent.release(this.unsentEntry)
    this.done(0)
    this.owner.onClose(this)
  }

  /** Records the end of the call with the code of its answer. Further calls do nothing. */
  done(code: number): void {
    if (this.isDone) return
    this.isDone = true
    this.owner.onEnd(this, code)
  }

  /** Runs a part of the work; an error ends the call, never the server. */
  guard(work: () => void): void {
    if (this.isExpired) return
    try {
      work()
    } catch (thrown) {
      this.owner.onError(this, thrown)
    }
  }

  /** Runs work that may take long in steps, so that other requests can run in between. */
  runInSteps(work: Steps<void>): void {
    this.owner.turns.run(this.identity.user, work, (error) => this.owner.onError(this, error))
  }

  /** Returns a request header; the values of a repeated one are joined by commas. */
  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(",") : value
  }
}

/** Smaller HTTP/1 answers are not counted as unsent: a connection has only one at a time. */
const COUNTED_BYTES = 32 * 1024
/** The memory of an unread answer besides its body. */
const STREAM_BYTES = 16 * 1024
const NO_BODY = Buffer.alloc(0)
const NO_QUERY = new Query("")
/** The identity of calls before authentication. */
export const UNAUTHENTICATED: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"], userAgent: "" }

/** Whether the body is read; other bodies are ignored, as in Go's server. */
export const hasBody = ({ remote, request, route }: Call): boolean => {
  if ((route === undefined && remote === undefined) || !bodyMethods.has(request.method ?? "")) return false
  const { headers } = request
  return headers["content-length"] !== "0"
}

const bodyMethods: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"])
