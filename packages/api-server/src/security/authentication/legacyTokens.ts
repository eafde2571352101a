import { timingSafeEqual } from "node:crypto"
import { formatTime, type Secret, type ServiceAccount } from "@rollcall/api"
import { authenticatedGroup, serviceAccountsGroup, serviceAccountUser } from "@rollcall/rbac"
import type { SecuritySource } from "../../core/ports/Security.ts"
import { securityFamilies } from "../metrics/securityFamilies.ts"
import { audienceMismatch, type TokenAnswer, type TokenLookup } from "./authenticators.ts"
import { claimsOf, isSignedBy, type SigningKey, signingKey, signJwt } from "./jwt.ts"

/*
 * Tokens of service accounts that Secrets of type kubernetes.io/service-account-token hold: they do not expire. Upstream:
 * pkg/serviceaccount/legacy.go.
 */

const ISSUER = "kubernetes/serviceaccount"
const LAST_USED = "kubernetes.io/legacy-token-last-used"
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since"
const MADE_TOKEN =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."
const DAY_MS = 86_400_000
/** Beyond this number the cache of signatures is emptied. */
const MAX_CACHED_TOKENS = 10_000

const claim = (name: string) => `kubernetes.io/serviceaccount/${name}`

/** What a token says of itself. */
interface Named {
  readonly namespace: string
  readonly secret: string
  readonly account: string
  readonly uid: string
}

/** Returns a function that signs the token of an account that a Secret holds. The key is EC P-256 or RSA, in PEM. */
export const legacyTokenSigner = (privateKeyPem: string): ((account: ServiceAccount, secret: Secret) => string) => {
  const key = signingKey(privateKeyPem)
  return ({ metadata: { name = "", namespace = "", uid = "" } }, secret) =>
    signJwt(key, {
      iss: ISSUER,
      [claim("namespace")]: namespace,
      [claim("secret.name")]: secret.metadata.name,
      [claim("service-account.name")]: name,
      [claim("service-account.uid")]: uid,
      sub: serviceAccountUser(namespace, name)
    })
}

/** Returns what a token names, or what it lacks. */
const readNamed = (claims: Readonly<Record<string, unknown>>): Named | string => {
  const { sub } = claims
  if (typeof sub !== "string" || sub === "") return "sub claim is missing"
  const named = { namespace: "", secret: "", account: "", uid: "" }
  const parts = [
    ["namespace", "namespace", "namespace"],
    ["secret", "secret.name", "secretName"],
    ["account", "service-account.name", "serviceAccountName"],
    ["uid", "service-account.uid", "serviceAccountUID"]
  ] as const
  for (const [part, key, shown] of parts) {
    const value = claims[claim(key)]
    if (typeof value !== "string" || value === "") return `${shown} claim is missing`
    named[part] = value
  }
  return sub === serviceAccountUser(named.namespace, named.account) ? named : "sub claim is invalid"
}

const isSame = (base64: string | undefined, token: string): boolean => {
  const [stored, given] = [Buffer.from(base64 ?? "", "base64"), Buffer.from(token)]
  return stored.length === given.length && timingSafeEqual(stored, given)
}

const dayOf = (ms: number): string => formatTime(ms).slice(0, 10)

/** Notes in the labels of a Secret the day on which its token was used. */
const trackUse = ({ label, now }: SecuritySource, { metadata }: Secret): void => {
  const lastUsed = metadata.labels?.[LAST_USED]
  const today = dayOf(now())
  if (lastUsed === today || lastUsed === dayOf(now() + DAY_MS)) return
  label("Secret", metadata.namespace ?? "", metadata.name ?? "", { [LAST_USED]: today })
}

/** Returns the Secret and the account of a token, or why it is not valid now. */
const heldBy = (
  { account: name, namespace, secret: secretName, uid }: Named,
  token: string,
  source: SecuritySource
): { readonly secret: Secret; readonly account: ServiceAccount } | string => {
  const secret = source.get("Secret", namespace, secretName) as Secret | undefined
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return "Token has been invalidated"
  if (!isSame(secret.data?.token, token)) return "Token does not match server's copy"
  const account = source.get("ServiceAccount", namespace, name) as ServiceAccount | undefined
  if (account === undefined) return `serviceaccounts "${name}" not found`
  if (account.metadata.deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${name} has been deleted`
  if (account.metadata.uid !== uid) {
    return `ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`
  }
  return { secret, account }
}

const invalidated = ({ account, namespace, secret }: Named): string =>
  `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid. ` +
  "Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the " +
  `'${INVALID_SINCE}' label from the secret to temporarily allow use of this token`

const countersOf = ({ metrics }: SecuritySource) => {
  const value = (family: (typeof securityFamilies)["legacyTokens"]) => metrics?.set.value(family)
  const { invalidLegacyAutoTokens, legacyAutoTokens, legacyManualTokens, legacyTokens } = securityFamilies
  return {
    all: value(legacyTokens),
    manual: value(legacyManualTokens),
    made: value(legacyAutoTokens),
    invalid: value(invalidLegacyAutoTokens)
  }
}

/**
 * Authenticates the tokens of Secrets. Every look-up checks that the Secret still holds the token and that the account is
 * the same; the signature is verified once for each token.
 */
export const legacyTokens = (
  keys: ReadonlyArray<SigningKey>,
  ownAudiences: ReadonlyArray<string>,
  source: SecuritySource
): TokenLookup => {
  const verified = new Map<string, Named | string>()
  const counters = countersOf(source)
  const verify = (token: string): Named | string => {
    const known = verified.get(token)
    if (known !== undefined) return known
    if (!isSignedBy(token, keys)) return "go-jose/go-jose: error in cryptographic primitive"
    if (verified.size >= MAX_CACHED_TOKENS) verified.clear()
    const named = readNamed(claimsOf(token) ?? {})
    verified.set(token, named)
    return named
  }
  const answer = (token: string, named: Named, audiences: ReadonlyArray<string>): TokenAnswer => {
    const held = heldBy(named, token, source)
    if (typeof held === "string") return { error: held }
    trackUse(source, held.secret)
    if (held.secret.metadata.labels?.[INVALID_SINCE]) {
      counters.invalid?.add()
      return { error: invalidated(named) }
    }
    const isMade = (held.account.secrets ?? []).some(({ name }) => name === named.secret)
    const count = isMade ? counters.made : counters.manual
    count?.add()
    return { user: userOf(named), audiences, ...(isMade ? { warning: MADE_TOKEN } : {}) }
  }
  return (token, audiences) => {
    if (!verified.has(token) && claimsOf(token)?.iss !== ISSUER) return undefined
    const named = verify(token)
    if (typeof named === "string") return { error: named }
    counters.all?.add()
    const matching = audiences.filter((audience) => ownAudiences.includes(audience))
    return matching.length === 0 ? audienceMismatch(ownAudiences, audiences) : answer(token, named, matching)
  }
}

const userOf = ({ account, namespace, uid }: Named) => ({
  user: serviceAccountUser(namespace, account),
  groups: [serviceAccountsGroup, `${serviceAccountsGroup}:${namespace}`, authenticatedGroup],
  uid
})
