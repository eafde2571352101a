import { type Pod, parseTime } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import * as Result from "effect/Result"

/** Upstream: pkg/kubelet/token/token_manager.go. */
const MAX_AGE_MS = 86_400_000
const MAX_JITTER_SECONDS = 10
/** The part of its lifetime before whose end a token is requested anew. */
const REFRESH_SHARE = 0.2
/** What the API sets if a volume does not. */
const DEFAULT_SECONDS = 3600
/** The tokens that are kept. */
const MAX_TOKENS = 1_000

/** A source of a projected volume: the token of the pod's service account. */
export interface TokenSource {
  readonly audience?: string
  readonly expirationSeconds?: number
}

/** What a TokenRequest is answered with. */
interface TokenAnswer {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string }
}

interface HeldToken {
  readonly token: string
  readonly issuedMs: number
  readonly expiresMs: number
}

interface TokenManagerParts {
  readonly connection: Pick<Connection, "send">
  /** The time of the node's clock. */
  readonly now: () => number
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number
}

/** Names a source within its pod. */
export const tokenKeyOf = ({ audience = "", expirationSeconds = DEFAULT_SECONDS }: TokenSource): string =>
  `${expirationSeconds}/${audience}`

/**
 * Requests tokens of service accounts, bound to their pods, and keeps them until 80 % of their life are over. Upstream requests them when a
 * volume is set up, and again as long as the pod runs; here one is requested when a command in the pod may read it.
 */
export class TokenManager {
  private readonly parts: TokenManagerParts
  /** By pod and source, in the order in which they were issued. */
  private readonly held = new Map<string, HeldToken>()

  constructor(parts: TokenManagerParts) {
    this.parts = parts
  }

  /** Passes the token, or why there is none: within the call, or later. Returns a function that cancels. */
  tokenFor(pod: Pod, source: TokenSource, done: (token: Result.Result<string, string>) => void): () => void {
    const { name = "", namespace = "", uid = "" } = pod.metadata
    const { audience, expirationSeconds = DEFAULT_SECONDS } = source
    const key = `${uid}/${tokenKeyOf(source)}`
    const held = this.held.get(key)
    if (held !== undefined && !this.mustRefresh(held)) {
      done(Result.succeed(held.token))
      return () => undefined
    }
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid }
    const spec = { audiences: audience ? [audience] : [], expirationSeconds, boundObjectRef }
    const object = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec }
    const account = pod.spec.serviceAccountName ?? "default"
    const address = { verb: "create", kind: "ServiceAccount", namespace, name: account, subresource: "token" } as const
    return this.parts.connection.send({ ...address, object }, (answer) => {
      const fetched = Result.flatMap(
        Result.mapError(answer, ({ message }) => message),
        (body) => heldOf(body as TokenAnswer, expirationSeconds)
      )
      if (Result.isSuccess(fetched)) {
        this.keep(key, fetched.success)
        done(Result.succeed(fetched.success.token))
      } else if (held === undefined) done(Result.fail(`failed to fetch token: ${fetched.failure}`))
      else if (held.expiresMs < this.parts.now()) {
        done(Result.fail(`token expired and refresh failed: ${fetched.failure}`))
      } else done(Result.succeed(held.token))
    })
  }

  private mustRefresh({ expiresMs, issuedMs }: HeldToken): boolean {
    const now = this.parts.now()
    const jitterMs = Math.floor(this.parts.random() * MAX_JITTER_SECONDS) * 1000
    return now > issuedMs + MAX_AGE_MS - jitterMs || now > expiresMs - REFRESH_SHARE * (expiresMs - issuedMs) - jitterMs
  }

  private keep(key: string, token: HeldToken): void {
    this.held.delete(key)
    const [oldest] = this.held.keys()
    if (this.held.size >= MAX_TOKENS && oldest !== undefined) this.held.delete(oldest)
    this.held.set(key, token)
  }
}

const heldOf = ({ status }: TokenAnswer, seconds: number): Result.Result<HeldToken, string> => {
  const { expirationTimestamp, token } = status ?? {}
  const expiresMs = expirationTimestamp === undefined ? Number.NaN : parseTime(expirationTimestamp)
  if (token === undefined || Number.isNaN(expiresMs)) return Result.fail("the API has answered without a token")
  return Result.succeed({ token, expiresMs, issuedMs: expiresMs - seconds * 1000 })
}
