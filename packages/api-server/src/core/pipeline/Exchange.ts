import type { KubeObject, Status } from "@rollcall/api"
import { type Answer, ApiError, type ApiRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { UserInfo } from "../admission/Admission.ts"

/** Who is behind a connection, as authentication found. */
export interface Identity extends UserInfo {
  /** What the client calls itself: `kubelet/v1.36.0 (linux/amd64)`. */
  readonly userAgent: string
}

/** A request that may have written, and what came of it. */
export interface AuditRecord {
  readonly identity: Identity
  readonly request: ApiRequest
  readonly code: number
  /** The object as the request left it, its last state if it is gone; undefined when the request was refused. */
  readonly object: KubeObject | undefined
}

/**
 * Called once for each write (a deletecollection: also for each object that it deletes), after it has taken effect and before its client is
 * answered. What it throws is handed to `handleError`, and the request goes on.
 */
export type Audit = (record: AuditRecord) => void

/** How a write ended: with the object as it is now, or was last. */
export type Done = (result: Result.Result<KubeObject, Status>) => void

/** How a request is answered: the port's answer, and what HTTP says beside it. */
export type Reply = (answer: Answer, code: number, warnings: ReadonlyArray<string>) => void

const listed = (warnings: ReadonlySet<string> | undefined): ReadonlyArray<string> =>
  warnings === undefined ? NO_WARNINGS : [...warnings]

const NO_WARNINGS: ReadonlyArray<string> = []

/** One request and its answer. Every handler ends in exactly one of `ok` and `refuse`; what comes after that is passed over. */
export class Exchange {
  readonly identity: Identity
  private readonly request: ApiRequest
  private readonly reply: Reply
  private readonly audit: Audit | undefined
  private warnings: Set<string> | undefined
  private answered = false

  constructor(identity: Identity, request: ApiRequest, reply: Reply, audit: Audit | undefined) {
    this.identity = identity
    this.request = request
    this.reply = reply
    this.audit = audit
  }

  /** Something that the client should be told of, whatever comes of the request. */
  warn(text: string): void {
    if (this.warnings === undefined) this.warnings = new Set([text])
    else this.warnings.add(text)
  }

  /** `subject` is the object that the request was about, where the answer does not say. */
  ok(answer: unknown, code: number, subject: KubeObject | undefined): void {
    if (this.answered) return
    this.answered = true
    this.audit?.({ identity: this.identity, request: this.request, code, object: subject })
    this.reply(Result.succeed(answer), code, listed(this.warnings))
  }

  /** Tells the observer of one of several objects that the request changes. */
  note(code: number, subject: KubeObject): void {
    this.audit?.({ identity: this.identity, request: this.request, code, object: subject })
  }

  /** The usual end of a write to an existing object. */
  finish(result: Result.Result<KubeObject, Status>): void {
    if (Result.isSuccess(result)) this.ok(result.success, 200, result.success)
    else this.refuse(result.failure)
  }

  refuse(status: Status): void {
    if (this.answered) return
    this.answered = true
    const code = status.code ?? 500
    this.audit?.({ identity: this.identity, request: this.request, code, object: undefined })
    this.reply(Result.fail(new ApiError({ status })), code, listed(this.warnings))
  }
}
