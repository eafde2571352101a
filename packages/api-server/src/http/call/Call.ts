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

/** Requests that are being worked on. */
export interface InFlightCounts {
  readonly: number
  mutating: number
  /** Of paths that are no resources; not shown. */
  other: number
}

/** What a call begins with. */
export interface CallParts {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly info: RequestInfo
  /** Where `info` names a resource that is served. */
  readonly route: Route | undefined
  readonly query: string
  readonly startedMs: number
  readonly unsent: Unsent
}

/** Who is told what becomes of a call. */
export interface CallOwner {
  /** The turn of answers that are made in pieces. */
  readonly answers: Outbox
  /** Where work pauses that takes long. */
  readonly turns: Turns
  /** A part of its work threw. */
  readonly failed: (call: Call, thrown: unknown) => void
  /** Once: the answer is complete, or the client is gone, which is code 0. */
  readonly ended: (call: Call, code: number) => void
}

/** One HTTP request on its way through the server. */
export class Call {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly info: RequestInfo
  readonly route: Route | undefined
  readonly query: Query
  /** Set by authentication, before anything asks. */
  identity: Identity = UNAUTHENTICATED
  /** Set by negotiation; errors before it are JSON. */
  negotiated: Negotiated | undefined = undefined
  /** Complete before the request is served; empty where the method has none. */
  body: Buffer = NO_BODY
  /** The body no longer waits. */
  releaseBody: (() => void) | undefined = undefined
  /** In the queue, then on its seats; undefined before and where it is refused at once. */
  place: Place | undefined = undefined
  /** What it counts as while it is worked on. */
  inFlightAs: keyof InFlightCounts | undefined = undefined
  isDone = false
  readonly startedMs: number
  readonly unsent: Unsent
  /** The connection that it came on, where those are kept account of. */
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

  /** The resource is one that is served. */
  get isKnown(): boolean {
    return this.route !== undefined
  }

  /** Ends the response; what of a body the client has yet to read is counted until it has, or is gone. */
  end(body: Buffer | string | undefined): void {
    const { response } = this
    if (body === undefined || body.length < COUNTED_BYTES) {
      // Of HTTP/2 a connection has hundreds of streams, each of which costs memory until its client has read the answer.
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

  /** Ends the response with a list of which this is the first piece. */
  stream(pieces: ListPieces, first: string, isPacked: boolean): void {
    const held = this.hold(first.length + pieces.left)
    new ListStream(this, pieces, this.owner.answers, held, isPacked).begin(first)
  }

  private hold(bytes: number): Held {
    this.held = this.unsent.hold(connectionOf(this.request), this.identity.user, this.response, bytes)
    return this.held
  }

  /** The response is complete, or its client is gone. */
  closed(): void {
    this.releaseBody?.()
    if (this.held !== undefined) this.unsent.release(this.held)
    this.done(0)
  }

  /** The answer has this code. Further calls do nothing. */
  done(code: number): void {
    if (this.isDone) return
    this.isDone = true
    this.owner.ended(this, code)
  }

  /** Runs a part of the work; what is thrown there ends the call, never the server. */
  guard(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.owner.failed(this, thrown)
    }
  }

  /** Does work that may take long, with pauses. */
  inParts(work: Steps<void>): void {
    this.owner.turns.run(this.identity.user, work, (error) => this.owner.failed(this, error))
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(",") : value
  }
}

/** Smaller answers of HTTP/1 are not worth counting: there is one on a connection. */
const COUNTED_BYTES = 32 * 1024
/** What an answer costs beside its body until it is read. */
const STREAM_BYTES = 16 * 1024
const NO_BODY = Buffer.alloc(0)
const NO_QUERY = new Query("")
/** Of calls that authentication has not passed. */
export const UNAUTHENTICATED: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"], userAgent: "" }
