import { createHash, X509Certificate } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { TLSSocket } from "node:tls"
import { forbidden, type Status, unauthorized } from "@rollcall/api"

/** A caller of a secure port. */
export interface Caller {
  readonly user: string
  readonly groups: ReadonlyArray<string>
  readonly uid?: string
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** A subresource of a Node that a request to its kubelet is for. */
export interface NodeSubresource {
  readonly node: string
  readonly subresource: string
}

/** Asks an API server about a token, or about what a caller may do. An error is the reason why it did not answer. */
export interface Reviewer {
  readonly reviewToken: (token: string) => Promise<Caller | undefined>
  readonly reviewAccess: (
    caller: Caller,
    verb: string,
    path: string,
    about?: NodeSubresource
  ) => Promise<{ readonly allowed: boolean; readonly reason: string }>
}

export interface AccessOptions {
  /** Paths that anyone may get; one that ends in `*` stands for all that begin so. */
  readonly alwaysAllowed: ReadonlyArray<string>
  /** Undefined without --authentication-kubeconfig: then tokens are unknown. */
  readonly tokens: Pick<Reviewer, "reviewToken"> | undefined
  /** Undefined without --authorization-kubeconfig: then only the privileged group may get other paths. */
  readonly access: Pick<Reviewer, "reviewAccess"> | undefined
  /** Whether client certificates are verified. */
  readonly verifiesCertificates: () => boolean
  readonly now: () => number
  readonly allowedTtlMs: number
  readonly deniedTtlMs: number
  readonly tokenTtlMs: number
  /** Reports why a token could not be reviewed; its request is refused. */
  readonly handleError: (error: unknown) => void
}

/** An answer in place of the page. */
export type Refusal = { readonly status: Status } | { readonly text: string }

const anonymous: Caller = { user: "system:anonymous", groups: ["system:unauthenticated"] }
const AUTHENTICATED = "system:authenticated"
const PRIVILEGED = "system:masters"
/** The answers that are remembered; beyond this number they are asked for again. */
const MAX_CACHED = 1000
/** The reviews that may be under way; a request that needs another one fails. */
const MAX_PENDING = 100
const UNKNOWN = "unknown"

/** Remembers answers for a time. */
class Answers<A> {
  private readonly byKey = new Map<string, { readonly answer: A; readonly untilMs: number }>()

  get(key: string, nowMs: number): A | undefined {
    const known = this.byKey.get(key)
    return known !== undefined && known.untilMs > nowMs ? known.answer : undefined
  }

  set(key: string, answer: A, untilMs: number): void {
    const [oldest] = this.byKey.keys()
    if (this.byKey.size >= MAX_CACHED && oldest !== undefined) this.byKey.delete(oldest)
    this.byKey.set(key, { answer, untilMs })
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64")

const listOf = (value: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : typeof value === "string" ? [value] : value

/** Returns the user of a client certificate: the common name, and the organizations as groups. */
export const certificateUser = (der: Uint8Array): Caller | undefined => {
  const { CN, O } = new X509Certificate(der).toLegacyObject().subject as {
    readonly CN?: string | ReadonlyArray<string>
    readonly O?: string | ReadonlyArray<string>
  }
  const [user] = listOf(CN)
  return user === undefined ? undefined : { user, groups: [...listOf(O), AUTHENTICATED] }
}

const bearerToken = (request: IncomingMessage): string | undefined => {
  const [scheme = "", token = ""] = (request.headers.authorization ?? "").trim().split(" ")
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined
}

/**
 * Decides about the requests of a secure port, as the delegating authenticator and authorizer of Kubernetes do: client
 * certificates, TokenReviews and SubjectAccessReviews. Upstream: apiserver/pkg/server/options/{authentication,authorization}.go.
 */
export class Access {
  private readonly options: AccessOptions
  private readonly tokens = new Answers<Caller | typeof UNKNOWN>()
  private readonly decisions = new Answers<{ readonly allowed: boolean; readonly reason: string }>()
  /** The reviews that are under way: requests that need the same wait for one. */
  private readonly reviews = new Map<string, Promise<unknown>>()

  constructor(options: AccessOptions) {
    this.options = options
  }

  /** Returns what answers the request in place of its page; undefined if the caller may get it. */
  async refusal(request: IncomingMessage, path: string): Promise<Refusal | undefined> {
    const caller = await this.callerOf(request)
    if (caller === undefined) return { status: unauthorized() }
    const verb = (request.method ?? "GET").toLowerCase()
    if (caller.groups.includes(PRIVILEGED) || this.isAlwaysAllowed(path)) return undefined
    try {
      const { allowed, reason } = await this.decide(caller, verb, path)
      if (allowed) return undefined
      const message = `User ${JSON.stringify(caller.user)} cannot ${verb} path ${JSON.stringify(path)}`
      return { status: forbidden({ group: "", resource: "" }, "", reason === "" ? message : `${message}: ${reason}`) }
    } catch (error) {
      return { text: `Internal Server Error: ${JSON.stringify(path)}: ${messageOf(error)}\n` }
    }
  }

  private isAlwaysAllowed(path: string): boolean {
    return this.options.alwaysAllowed.some((allowed) =>
      allowed.endsWith("*") ? path.startsWith(allowed.slice(0, -1)) : path === allowed
    )
  }

  /** Returns the caller, who may be anonymous; undefined if its credential is invalid. */
  async callerOf(request: IncomingMessage): Promise<Caller | undefined> {
    const socket = request.socket as TLSSocket
    let isInvalid = false
    if (this.options.verifiesCertificates()) {
      const { raw } = socket.getPeerCertificate()
      if (raw !== undefined && socket.authorized) return certificateUser(raw)
      isInvalid = raw !== undefined
    }
    const token = bearerToken(request)
    if (token === undefined) return isInvalid ? undefined : anonymous
    const { now, tokens, tokenTtlMs } = this.options
    if (tokens === undefined) return isInvalid ? undefined : anonymous
    const key = digest(token)
    let answer = this.tokens.get(key, now())
    if (answer === undefined) {
      answer = await this.lookUp(key, () => tokens.reviewToken(token))
      if (answer !== undefined) this.tokens.set(key, answer, now() + tokenTtlMs)
    }
    return answer === UNKNOWN ? undefined : answer
  }

  /** Returns the user of a token; undefined, which is not remembered, if that could not be reviewed. */
  private async lookUp(
    key: string,
    reviewToken: () => Promise<Caller | undefined>
  ): Promise<Caller | typeof UNKNOWN | undefined> {
    try {
      return (await this.once(key, reviewToken)) ?? UNKNOWN
    } catch (error) {
      this.options.handleError(error)
      return undefined
    }
  }

  private async once<A>(key: string, review: () => Promise<A>): Promise<A> {
    const underWay = this.reviews.get(key)
    if (underWay !== undefined) return underWay as Promise<A>
    if (this.reviews.size >= MAX_PENDING) throw new Error(`${MAX_PENDING} reviews are under way`)
    const asked = review()
    this.reviews.set(key, asked)
    try {
      return await asked
    } finally {
      this.reviews.delete(key)
    }
  }

  /** Returns whether a caller may get a path, or a subresource of a Node. */
  async decide(caller: Caller, verb: string, path: string, about?: NodeSubresource) {
    const { access, allowedTtlMs, deniedTtlMs, now } = this.options
    if (access === undefined) return { allowed: false, reason: "" }
    const key = JSON.stringify([caller, verb, about ?? path])
    const known = this.decisions.get(key, now())
    if (known !== undefined) return known
    const decision = await this.once(key, () => access.reviewAccess(caller, verb, path, about))
    this.decisions.set(key, decision, now() + (decision.allowed ? allowedTtlMs : deniedTtlMs))
    return decision
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
