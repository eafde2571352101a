import { createHash, hash, X509Certificate } from "node:crypto"
import { authenticatedGroup } from "@rollcall/rbac"
import type { Distribution } from "@rollcall/time"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Authentication, Authenticator } from "../../core/ports/Security.ts"

// Node 24 leaves `tls.createSecureContext` undefined for good when `toLegacyObject` is called before this module is loaded.
import "node:tls"

/** The number of cached certificates besides those that open connections reference. */
const MAX_CACHED_CERTIFICATES = 10_000

interface CachedCertificate {
  /** Undefined if the certificate names no user; `invalid` if it is not of the CA of clients. */
  readonly user: Authentication
  /** When the certificate expires, in milliseconds since the Unix epoch. */
  readonly untilMs: number
}

/**
 * Authenticates client certificates: the common name is the user, the organizations are the groups. TLS has verified
 * the certificate when the connection was made; its expiry is checked again for each request. One certificate always
 * gives the same UserInfo object, by which callers may cache. `lifetimes` measures how long certificates are still
 * valid. `isForeign` tells the certificates of other CAs that TLS accepts, too. Upstream:
 * staging/src/k8s.io/apiserver/pkg/authentication/request/x509/x509.go.
 */
export const clientCertificates = (
  now: () => number,
  lifetimes?: Distribution,
  isForeign: (certificate: X509Certificate) => boolean = () => false
): Authenticator => {
  // By the object of the connection, so that further requests compute no digest; by digest for new connections.
  const byCertificate = new WeakMap<Uint8Array, CachedCertificate>()
  const byFingerprint = new Map<string, CachedCertificate>()
  const cache = (certificate: Uint8Array): CachedCertificate => {
    const fingerprint = createHash("sha256").update(certificate).digest("hex")
    const before = byFingerprint.get(fingerprint)
    const known = before ?? parseCertificate(certificate, fingerprint, isForeign)
    if (before === undefined) {
      if (byFingerprint.size >= MAX_CACHED_CERTIFICATES) byFingerprint.clear()
      byFingerprint.set(fingerprint, known)
    }
    byCertificate.set(certificate, known)
    return known
  }
  return {
    authenticate: ({ certificate }): Authentication => {
      if (certificate === undefined) return undefined
      const { untilMs, user } = byCertificate.get(certificate) ?? cache(certificate)
      const leftMs = untilMs - now()
      if (leftMs < 0) return "invalid"
      if (user !== undefined && user !== "invalid") lifetimes?.observe(leftMs / 1000)
      return user
    }
  }
}

const parseCertificate = (
  der: Uint8Array,
  fingerprint: string,
  isForeign: (certificate: X509Certificate) => boolean
): CachedCertificate => {
  const certificate = new X509Certificate(der)
  const { CN, O } = certificate.toLegacyObject().subject as { readonly CN?: OneOrMore; readonly O?: OneOrMore }
  const [name = ""] = listOf(CN)
  const untilMs = certificate.validToDate.getTime()
  if (isForeign(certificate)) return { user: "invalid", untilMs }
  if (name === "") return { user: undefined, untilMs }
  const groups = [...listOf(O).filter((group) => group !== authenticatedGroup), authenticatedGroup]
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] }
  return { user: { user: name, groups, extra }, untilMs }
}

/** A field of a certificate's subject: Node gives a list if the field occurs more than once. */
type OneOrMore = string | ReadonlyArray<string> | undefined

const listOf = (value: OneOrMore): ReadonlyArray<string> => {
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
}

/**
 * The result for a token that a lookup knows: the user, and the requested audiences for which the token is valid; or, as
 * `error`, why the token is invalid.
 */
export interface TokenAnswer {
  readonly user?: UserInfo
  readonly audiences?: ReadonlyArray<string>
  readonly error?: string
  /** What the caller is warned of with every request that shows the token. */
  readonly warning?: string
}

/** Looks up a token that must be valid for one of the audiences. Returns undefined if it does not know the token. */
export type TokenLookup = (token: string, audiences: ReadonlyArray<string>) => TokenAnswer | undefined

/** Returns the answer for a token that is valid for other audiences only. */
export const audienceMismatch = (own: ReadonlyArray<string>, wanted: ReadonlyArray<string>): TokenAnswer => {
  const quoted = (texts: ReadonlyArray<string>) => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`
  return { error: `token audiences ${quoted(own)} is invalid for the target audiences ${quoted(wanted)}` }
}

/** Returns the result of the first lookup that knows the token. */
export const firstOf =
  (lookups: ReadonlyArray<TokenLookup>): TokenLookup =>
  (token, audiences) => {
    for (const lookup of lookups) {
      const answer = lookup(token, audiences)
      if (answer !== undefined) return answer
    }
    return undefined
  }

/** How long an accepted token is accepted again without a look at it, in milliseconds. */
const ACCEPTED_MS = 10_000
/** Beyond this number the memory is emptied. */
const MAX_ACCEPTED = 10_000

/**
 * Remembers accepted tokens: within ten seconds what becomes of their users and objects does not matter. Upstream:
 * token/cache/cached_token_authenticator.go and pkg/kubeapiserver/authenticator/config.go, TokenSuccessCacheTTL.
 */
export const remembering = (lookup: TokenLookup, now: () => number): TokenLookup => {
  const accepted = new Map<string, Array<Accepted>>()
  let count = 0
  return (token, audiences) => {
    const ofToken = accepted.get(token)
    const at = ofToken?.findIndex((each) => sameTexts(each.audiences, audiences)) ?? -1
    const known = ofToken?.[at]
    if (known !== undefined && now() < known.untilMs) return known.answer
    if (known !== undefined) {
      ofToken?.splice(at, 1)
      count--
    }
    const answer = lookup(token, audiences)
    if (answer?.user === undefined) {
      if (ofToken?.length === 0) accepted.delete(token)
      return answer
    }
    if (count >= MAX_ACCEPTED) {
      accepted.clear()
      count = 0
    }
    const entry = { audiences, answer, untilMs: now() + ACCEPTED_MS }
    const others = accepted.get(token)
    if (others === undefined) accepted.set(token, [entry])
    else others.push(entry)
    count++
    return answer
  }
}

/** An answer for a token that was shown for these audiences. */
interface Accepted {
  readonly audiences: ReadonlyArray<string>
  readonly answer: TokenAnswer
  readonly untilMs: number
}

const sameTexts = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left === right || (left.length === right.length && left.every((text, at) => text === right[at]))

/**
 * Returns the token of `Authorization: Bearer <token>`; an empty one is ignored. Upstream:
 * request/bearertoken/bearertoken.go.
 */
const bearerToken = (header: string): string | undefined => {
  const [scheme = "", token = ""] = header.trim().split(" ")
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined
}

/** What precedes the token in a header that is remembered: one with more around it would hold the memory for that. */
const SCHEME = "Bearer "

/**
 * Authenticates bearer tokens. An unknown token is invalid: the request does not become anonymous. The tokens of accepted headers
 * are remembered, because requests of one connection share the text of the header: a map finds it without reading it.
 */
export const bearerTokens = (lookup: TokenLookup, audiences: ReadonlyArray<string>): Authenticator => {
  const acceptedTokens = new Map<string, string>()
  return {
    authenticate: ({ headers: { authorization }, warn }) => {
      const header = typeof authorization === "string" ? authorization : authorization?.[0]
      if (header === undefined) return undefined
      const accepted = acceptedTokens.get(header)
      const token = accepted ?? bearerToken(header)
      if (token === undefined) return undefined
      const answer = lookup(token, audiences)
      if (answer?.warning !== undefined) warn?.(answer.warning)
      if (answer?.user === undefined) acceptedTokens.delete(header)
      else if (accepted === undefined && header.length === SCHEME.length + token.length) {
        if (acceptedTokens.size >= MAX_ACCEPTED) acceptedTokens.clear()
        acceptedTokens.set(header, token)
      }
      return answer?.user ?? "invalid"
    }
  }
}

/**
 * Tries authenticators in order until one knows the user; an invalid credential counts only if no other is valid. Upstream:
 * request/union/union.go.
 */
export const authenticators = (all: ReadonlyArray<Authenticator>): Authenticator => ({
  authenticate: (credentials) => {
    let failed: Authentication
    for (const { authenticate } of all) {
      const answer = authenticate(credentials)
      if (answer === "invalid") failed = answer
      else if (answer !== undefined) return answer
    }
    return failed
  }
})

/** A line of `--token-auth-file`. */
export interface StaticToken {
  readonly token: string
  readonly user: string
  readonly uid?: string
  readonly groups?: ReadonlyArray<string>
}

const digest = (token: string): string => hash("sha256", token, "base64")

/**
 * Authenticates tokens given when the server started. They are looked up by digest, so that timing reveals nothing
 * about them.
 */
export const staticTokens = (tokens: ReadonlyArray<StaticToken>, ownAudiences: ReadonlyArray<string>): TokenLookup => {
  const users = new Map<string, TokenAnswer>()
  for (const { groups = [], token, uid, user } of tokens) {
    const allGroups = [...groups.filter((group) => group !== authenticatedGroup), authenticatedGroup]
    users.set(digest(token), { user: { user, groups: allGroups, ...(uid === undefined ? {} : { uid }) } })
  }
  return (token, audiences) => {
    const found = users.get(digest(token))
    const matchingAudiences = audiences.filter((audience) => ownAudiences.includes(audience))
    return found === undefined || matchingAudiences.length === 0
      ? undefined
      : { ...found, audiences: matchingAudiences }
  }
}
