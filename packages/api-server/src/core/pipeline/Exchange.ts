import type { KubeObject, Status } from "@rollcall/api"
import { type Answer, type ApiRequest, apiErrorOf } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { ConnectedSubresource, ConnectionOptions, UserInfo } from "../admission/Admission.ts"

/** The authenticated user of a connection. */
export interface Identity extends UserInfo {
  /** The client's User-Agent: `kubelet/v1.36.0 (linux/amd64)`. */
  readonly userAgent: string
}

/** A write request, or one to connect to something, and its result. */
export interface AuditRecord {
  readonly identity: Identity
  readonly request: ApiRequest
  /** The HTTP status code. */
  readonly code: number
  /**
   * The object after the request, or its last state if the request removed it. Undefined if the request was refused, and
   * for a deletecollection as a whole.
   */
  readonly object: KubeObject | undefined
  /**
   * What the request, then a get, connects to; absent for a write. The code is that of its admission: what follows is between
   * the client and the container, port or kubelet.
   */
  readonly connection?: { readonly subresource: ConnectedSubresource; readonly options: ConnectionOptions }
  /** What admission plugins noted; absent if nothing. */
  readonly annotations?: Readonly<Record<string, string>>
}

/**
 * Called once for each connection and each write (for a deletecollection, also for each object that it deletes), after it has taken effect
 * and before its client is answered. An error that it throws is reported, and the request continues.
 */
export type Audit = (record: AuditRecord) => void

/** Receives the result of a write: the object as it is now, or its last state. */
export type Done = (result: Result.Result<KubeObject, Status>) => void

/** Receives the response to a request: the answer, its HTTP status code, and the texts of its Warning headers. */
export type Reply = (answer: Answer, code: number, warnings: ReadonlyArray<string>) => void

/** Returns why a caller who may write an object may not create it. */
export type CreationRefusal = () => Status | undefined

const arrayOf = (warnings: ReadonlySet<string> | undefined): ReadonlyArray<string> =>
  warnings === undefined ? NO_WARNINGS : [...warnings]

const NO_WARNINGS: ReadonlyArray<string> = []

/** One request and its response. Every handler calls either `ok` or `refuse` once; later calls are ignored. */
export class Exchange {
  readonly identity: Identity
  readonly request: ApiRequest
  private readonly reply: Reply
  private readonly audit: Audit | undefined
  /** Whether the client reads warnings: what only computes some is left out otherwise. */
  readonly readsWarnings: boolean
  /** Asked before an update or an apply creates an object; absent where the caller may create everything. */
  readonly creationRefusal: CreationRefusal | undefined
  private warnings: Set<string> | undefined
  private annotations: Record<string, string> | undefined
  private answered = false
  /** Whether the request has changed the object that it names. */
  hasWritten = false

  constructor(
    identity: Identity,
    request: ApiRequest,
    reply: Reply,
    audit: Audit | undefined,
    readsWarnings = true,
    creationRefusal?: CreationRefusal
  ) {
    this.identity = identity
    this.request = request
    this.reply = reply
    this.audit = audit
    this.readsWarnings = readsWarnings
    this.creationRefusal = creationRefusal
  }

  get isAnswered(): boolean {
    return this.answered
  }

  /** Adds a warning for the client, independent of the result. */
  warn(text: string): void {
    if (this.warnings === undefined) this.warnings = new Set([text])
    else this.warnings.add(text)
  }

  /** Annotates the audit, if there is one. The first value of a key stays. */
  annotate(key: string, value: string): void {
    if (this.audit === undefined) return
    this.annotations ??= {}
    this.annotations[key] ??= value
  }

  private report(code: number, object: KubeObject | undefined): void {
    const { annotations, audit, identity, request } = this
    audit?.({ identity, request, code, object, ...(annotations === undefined ? {} : { annotations }) })
  }

  /**
   * Answers with success. `answer` is the body of the response; `subject` the object that the audit records, which the
   * body need not be.
   */
  ok(answer: unknown, code: number, subject: KubeObject | undefined): void {
    if (this.answered) return
    this.answered = true
    this.report(code, subject)
    this.reply(Result.succeed(answer), code, arrayOf(this.warnings))
  }

  /** Reports one of several objects that the request changes to the audit. */
  auditObject(code: number, subject: KubeObject): void {
    this.report(code, subject)
  }

  /** Answers a write to an existing object: with the object and 200, or with the error. */
  finish(result: Result.Result<KubeObject, Status>): void {
    if (Result.isSuccess(result)) this.ok(result.success, 200, result.success)
    else this.refuse(result.failure)
  }

  /** Answers with an error. */
  refuse(status: Status): void {
    if (this.answered) return
    this.answered = true
    const code = status.code ?? 500
    this.report(code, undefined)
    this.reply(Result.fail(apiErrorOf(status)), code, arrayOf(this.warnings))
  }
}
