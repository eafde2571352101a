import { type KubeObject, parseTime } from "@rollcall/api"
import { authenticatedGroup, serviceAccountsGroup, serviceAccountUser } from "@rollcall/rbac"
import type { Value } from "@rollcall/time"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { SecuritySource } from "../../core/ports/Security.ts"
import { securityFamilies } from "../metrics/securityFamilies.ts"
import { audienceMismatch, type TokenLookup } from "./authenticators.ts"
import { type Claims, type Ref, readClaims } from "./claims.ts"
import { claimsOf, isSignedBy, type SigningKey } from "./jwt.ts"

/** The tolerated clock difference, and how long tokens of deleted objects are still accepted, in milliseconds. */
const LEEWAY_MS = 60_000
/** Beyond this number the cache is emptied: verifying a signature again is cheap enough. */
const MAX_CACHED_TOKENS = 10_000

/** The content of a token whose signature has been verified. */
interface Verified {
  readonly claims: Claims
  readonly user: UserInfo
}

/**
 * Authenticates service account tokens. The signature is verified once for each token. Its expiry, and that its account
 * and its bound object still exist with the same uid, are checked for each request. Upstream:
 * pkg/serviceaccount/{jwt,claims}.go.
 */
export const serviceAccountTokens = (
  issuer: string,
  keys: ReadonlyArray<SigningKey>,
  source: SecuritySource
): TokenLookup => {
  const verified = new Map<string, Verified>()
  const validTokens = addTokenMetrics(source)
  const verify = (token: string): Verified | undefined => {
    const known = verified.get(token)
    if (known !== undefined) return known
    if (!isSignedBy(token, keys)) return undefined
    const claims = readClaims(claimsOf(token) ?? {})
    if (claims === undefined) return undefined
    if (verified.size >= MAX_CACHED_TOKENS) verified.clear()
    const entry = { claims, user: userOf(claims) }
    verified.set(token, entry)
    return entry
  }
  return (token, audiences) => {
    const known = verified.get(token)
    if (known === undefined && claimsOf(token)?.iss !== issuer) return undefined
    const found = known ?? verify(token)
    if (found === undefined) return { error: "go-jose/go-jose: error in cryptographic primitive" }
    const error = claimsError(found.claims, source)
    if (error !== undefined) return { error }
    const matchingAudiences = audiences.filter((audience) => found.claims.aud.includes(audience))
    if (matchingAudiences.length === 0) return audienceMismatch(found.claims.aud, audiences)
    validTokens?.add()
    return { user: found.user, audiences: matchingAudiences }
  }
}

/** Adds the metrics of tokens; no token is stale, because none is valid for longer than asked. */
const addTokenMetrics = ({ metrics }: SecuritySource): Value | undefined => {
  metrics?.set.value(securityFamilies.staleTokens)
  return metrics?.set.value(securityFamilies.validTokens)
}

/** Returns why the token is not valid now, or undefined if it is. */
const claimsError = (claims: Claims, source: SecuritySource): string | undefined => {
  const nowMs = source.now()
  if (claims.exp * 1000 + LEEWAY_MS < nowMs) return "service account token has expired"
  if (claims.nbf * 1000 - LEEWAY_MS > nowMs) return "service account token is not valid yet"
  const { namespace, node, pod, secret, serviceaccount } = claims["kubernetes.io"]
  const { name } = serviceaccount
  const account = source.get("ServiceAccount", namespace, name)
  if (account === undefined) return `serviceaccounts "${name}" not found`
  if (isDeleted(account, nowMs)) return `service account ${namespace}/${name} has been deleted`
  if (account.metadata.uid !== serviceaccount.uid) {
    return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`
  }
  const isGone = (kind: string, where: string, ref: Ref | undefined) => {
    if (ref === undefined) return false
    const object = source.get(kind, where, ref.name)
    return object === undefined || isDeleted(object, nowMs) || object.metadata.uid !== ref.uid
  }
  // A token for a pod or secret also names the pod's node, but is not bound to it.
  const isUnbound =
    isGone("Pod", namespace, pod) ||
    isGone("Secret", namespace, secret) ||
    (pod === undefined && secret === undefined && isGone("Node", "", node))
  return isUnbound ? "service account token has been invalidated" : undefined
}

const isDeleted = ({ metadata }: KubeObject, nowMs: number): boolean =>
  metadata.deletionTimestamp !== undefined && parseTime(metadata.deletionTimestamp) < nowMs - LEEWAY_MS

const userOf = (claims: Claims): UserInfo => {
  const { namespace, node, pod, serviceaccount } = claims["kubernetes.io"]
  const named = (key: string, value: string | undefined) =>
    value === undefined || value === "" ? {} : { [`authentication.kubernetes.io/${key}`]: [value] }
  return {
    user: serviceAccountUser(namespace, serviceaccount.name),
    groups: [serviceAccountsGroup, `${serviceAccountsGroup}:${namespace}`, authenticatedGroup],
    ...(serviceaccount.uid === undefined ? {} : { uid: serviceaccount.uid }),
    extra: {
      ...named("credential-id", `JTI=${claims.jti}`),
      ...named("pod-name", pod?.name),
      ...named("pod-uid", pod?.uid),
      ...named("node-name", node?.name),
      ...named("node-uid", node?.uid)
    }
  }
}
