import type { Identity } from "../../core/pipeline/Exchange.ts"
import type { Steps } from "../../core/turns/Steps.ts"
import type { Turns } from "../../core/turns/Turns.ts"
import type { Place } from "../flowcontrol/FlowControl.ts"
import type { Negotiated } from "../request/mediaTypes.ts"
import { Query } from "../request/Query.ts"
import type { RequestInfo } from "../request/RequestInfo.ts"
import type { Route } from "../request/Routes.ts"
import { type Connection, connectionOf } from "../wire/Connections.ts"
import type { HttpRequest, HttpResponse } from "../wire/HttpPort.ts"
import { type Outbox, pump } from "../wire/Outbox.ts"
import type { Held, Unsent } from "../wire/Unsent.ts"
import { type ListPieces, ListStream } from "./ListStream.ts"

/** The number of requests in flight. */
export interface InFlightCounts {
  readonly: number
  mutating: number
  /** Requests for non-resource paths; not reported. */
  other: number
}

/** The parts of a new call. */
export interface CallParts {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly info: RequestInfo
  /** Set when `info` names a served resource. */
  readonly route: Route | undefined
  readonly query: string
  readonly startedMs: number
  readonly unsent: Unsent
}

/** The owner of a call: the services it uses, and the callbacks for its end. */
export interface CallOwner {
  /** Sends answers that are produced in pieces. */
  readonly answers: Outbox
  /** Where long-running work yields. */
  readonly turns: Turns
  /** Called when a part of its work threw. */
  readonly failed: (call: Call, thrown: unknown) => void
  /** Called once: when the answer is complete, or with code 0 when the client is gone. */
  readonly ended: (call: Call, code: number) => void
}

/** One HTTP request in the server. */
export class Call {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly info: RequestInfo
  readonly route: Route | undefined
  readonly query: Query
  /** Set by authentication, before anything reads it. */
  identity: Identity = UNAUTHENTICATED
  /** Set by negotiation; errors before it are JSON. */
  negotiated: Negotiated | undefined = undefined
  /** Complete before the request is served; empty for methods without a body. */
  body: Buffer = NO_BODY
  /** Releases the memory charged for the body. */
  releaseBody: (() => void) | undefined = undefined
  /** The request's place in flow control: queued, then executing; undefined before, and when it is refused at once. */
  place: Place | undefined = undefined
  /** The counter in which it is counted while it executes. */
  inFlightAs: keyof InFlightCounts | undefined = undefined
  isDone = false
  readonly startedMs: number
  readonly unsent: Unsent
  /** The connection of the request, where connections are tracked. */
  connection: Connection | undefined = undefined
  private held: Held | undefined = undefined
  private readonly owner: CallOwner

  constructor(owner: CallOwner, { info, query, request, response, route, startedMs, unsent }: CallParts) {
    this.owner = owner
    this.request = request
    this.response = response
    this.info = info
    this.route = route
    this.query = query === "" ? NO_QUERY : new Query(query)
    this.startedMs = startedMs
    this.unsent = unsent
  }

  /** Whether the resource is served. */
  get isKnown(): boolean {
    return this.route !== undefined
  }

  /** Ends the response; the unread part of a body is counted until the client has read it, or is gone. */
  end(body: Buffer | string | undefined): void {
    const { response } = this
    if (body === undefined || body.length < COUNTED_BYTES) {
      // An HTTP/2 connection has hundreds of streams, each of which uses memory until its client has read the answer.
      if (this.request.stream !== undefined) this.hold(STREAM_BYTES)
      response.end(body)
      return
    }
    const bytes = typeof body === "string" ? Buffer.from(body) : body
    const held = this.hold(bytes.length + STREAM_BYTES)
    pump(response, bytes, (handed) => {
      held.written += handed
    })
  }

  /** Ends the response with a list, of which this is the first piece. */
  stream(pieces: ListPieces, first: string, isPacked: boolean): void {
    const held = this.hold(first.length + pieces.left)
    new ListStream(this, pieces, this.owner.answers, held, isPacked).begin(first)
  }

  private hold(bytes: number): Held {
    this.held = this.unsent.hold(connectionOf(this.request), this.identity.user, this.response, bytes)
    return this.held
  }

  /** Called when the response is complete, or its client is gone. */
  closed(): void {
    this.releaseBody?.()
    if (this.held !== undefined) this.unsent.release(this.held)
    this.done(0)
  }

  /** Records the answer's code. Further calls do nothing. */
  done(code: number): void {
    if (this.isDone) return
    this.isDone = true
    this.owner.ended(this, code)
  }

  /** Runs a part of the work; an error ends the call, never the server. */
  guard(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.owner.failed(this, thrown)
    }
  }

  /** Runs work that may take long, in steps. */
  inParts(work: Steps<void>): void {
    this.owner.turns.run(this.identity.user, work, (error) => this.owner.failed(this, error))
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(",") : value
  }
}

/** Smaller HTTP/1 answers are not counted: a connection has only one. */
const COUNTED_BYTES = 32 * 1024
/** The memory of an unread answer besides its body. */
const STREAM_BYTES = 16 * 1024
const NO_BODY = Buffer.alloc(0)
const NO_QUERY = new Query("")
/** The identity of calls before authentication. */
export const UNAUTHENTICATED: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"], userAgent: "" }
