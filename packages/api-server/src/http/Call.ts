import type { Identity } from "../pipeline/Identity.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"
import type { Negotiated } from "./mediaTypes.ts"
import { Query } from "./Query.ts"
import type { RequestInfo } from "./RequestInfo.ts"

/** One HTTP request on its way through the server. */
export class Call {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly info: RequestInfo
  readonly query: Query
  /** Set by authentication, before anything asks. */
  identity: Identity = ANONYMOUS
  /** Set by negotiation; errors before it are JSON. */
  negotiated: Negotiated | undefined
  /** Complete before the request is served; empty where the method has none. */
  body: Buffer = NO_BODY
  /** Called when the answer is complete or the connection is gone. */
  onDone: ((code: number) => void) | undefined
  readonly startedMs: number

  constructor(request: HttpRequest, response: HttpResponse, info: RequestInfo, query: string, startedMs: number) {
    this.request = request
    this.response = response
    this.info = info
    this.query = query === "" ? NO_QUERY : new Query(query)
    this.startedMs = startedMs
  }

  /** Runs a part of the work; what is thrown there ends the call, never the server. */
  guard: (work: () => void) => void = (work) => work()

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(",") : value
  }
}

const NO_BODY = Buffer.alloc(0)
const NO_QUERY = new Query("")
const ANONYMOUS: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"], userAgent: "" }
