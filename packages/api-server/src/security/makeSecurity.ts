import type { KubeObject } from "@rollcall/api"
import { bootstrapPolicy, Rbac } from "@rollcall/rbac"
import type { Authorizer, Security, SecurityPlan, SecuritySource } from "../core/ports/Security.ts"
import { certificatePlugins } from "./admission/certificates.ts"
import { waitingForDefault } from "./admission/defaultAccount.ts"
import { deviceClaims } from "./admission/deviceClaims.ts"
import { escalationCheck } from "./admission/escalation.ts"
import { policyParams } from "./admission/policyParams.ts"
import { serviceAccountAdmission } from "./admission/ServiceAccount.ts"
import { type ServerAdmissionOptions, serverAdmissionPlugins } from "./admission/serverAdmission.ts"
import {
  authenticators,
  bearerTokens,
  clientCertificates,
  firstOf,
  remembering,
  type StaticToken,
  staticTokens
} from "./authentication/authenticators.ts"
import { bootstrapTokens } from "./authentication/bootstrapTokens.ts"
import { type FrontProxyOptions, frontProxies, isOfProxy } from "./authentication/frontProxies.ts"
import { type SigningKey, signingKey, verifyingKey, webKeyOf } from "./authentication/jwt.ts"
import { legacyTokens } from "./authentication/legacyTokens.ts"
import { serviceAccountTokens } from "./authentication/ServiceAccountTokens.ts"
import { subprotocolTokens } from "./authentication/subprotocolTokens.ts"
import { alwaysAllow, superusers, unionOf } from "./authorizers.ts"
import { withCertificateChecks } from "./certificateRules.ts"
import { withKeyPairWarnings } from "./keyPairWarnings.ts"
import { securityFamilies } from "./metrics/securityFamilies.ts"
import { nodeAuthorizer } from "./node/NodeAuthorizer.ts"
import { ReferenceGraph } from "./node/ReferenceGraph.ts"
import { accessReviews } from "./reviews/accessReviews.ts"
import { selfSubjectReviews, tokenReviews } from "./reviews/identityReviews.ts"
import { tokenRequests } from "./reviews/tokenRequests.ts"

/** The supported values of `--authorization-mode`. */
export type AuthorizationMode = "AlwaysAllow" | "Node" | "RBAC"

/** How tokens of service accounts are signed and verified. */
export interface ServiceAccountOptions {
  /** The `iss` of tokens (`--service-account-issuer`). */
  readonly issuer: string
  /** The key that signs tokens, EC P-256 or RSA (the content of `--service-account-signing-key-file`). */
  readonly privateKeyPem: string
  /** Additional keys that verify tokens (the contents of `--service-account-key-file`). */
  readonly publicKeysPem?: ReadonlyArray<string>
  /** The audiences of this server (`--api-audiences`). Default: the issuer. */
  readonly audiences?: ReadonlyArray<string>
}

/** How a server authenticates, authorizes and admits requests. */
export interface SecurityOptions extends ServerAdmissionOptions {
  /** The authorizers in the order in which they are asked. Members of `system:masters` may do everything in any mode. */
  readonly modes: ReadonlyArray<AuthorizationMode>
  /** The users with a fixed token (`--token-auth-file`). */
  readonly tokens?: ReadonlyArray<StaticToken>
  /** The proxies that say who asks (`--requestheader-*`); none by default. TLS must accept their CA. */
  readonly frontProxies?: FrontProxyOptions
  /** Whether bootstrap tokens authenticate (`--enable-bootstrap-token-auth`); default: they do not. */
  readonly bootstrapTokens?: boolean
  /** Authenticates and issues tokens of service accounts. Without it there are none. */
  readonly serviceAccounts?: ServiceAccountOptions
  /**
   * Whether a request without credentials is served as `system:anonymous` (`--anonymous-auth`), which RBAC lets read
   * health and version. Default: true, except with the mode AlwaysAllow.
   */
  readonly anonymous?: boolean
}

/** Returns the objects that these options require in every cluster: with RBAC its bootstrap roles and bindings. */
export const requiredObjects = ({ modes }: Pick<SecurityOptions, "modes">): ReadonlyArray<KubeObject> =>
  modes.includes("RBAC") ? bootstrapPolicy : []

/** Returns the security for `ApiServer.layer`. */
export const securityPlan = (options: SecurityOptions): SecurityPlan => ({
  objects: requiredObjects(options),
  define: (table) => ({
    ...table,
    CertificateSigningRequest: withCertificateChecks(table.CertificateSigningRequest),
    Secret: withKeyPairWarnings(table.Secret)
  }),
  make: (source, authorizers) => makeSecurity(options, source, authorizers)
})

/** Makes the security over the objects of a server. `others` are authorizers to ask after those of the options. */
export const makeSecurity = (
  options: SecurityOptions,
  source: SecuritySource,
  others: ReadonlyArray<Authorizer> = []
): Security => {
  const { frontProxies: proxies, modes, serviceAccounts, tokens = [] } = options
  const rbac = modes.includes("RBAC") ? new Rbac(source) : undefined
  const authorizer = unionOf([
    superusers,
    ...modes.map((mode) => counted(mode, authorizerOf(mode, rbac, source), source)),
    ...others
  ])
  const issuer = serviceAccounts && issuerOf(serviceAccounts)
  const audiences = issuer?.audiences ?? ["https://kubernetes.default.svc.cluster.local"]
  const lookups = firstOf([
    ...(tokens.length === 0 ? [] : [staticTokens(tokens, audiences)]),
    ...(issuer === undefined
      ? []
      : [serviceAccountTokens(issuer.issuer, issuer.keys, source), legacyTokens(issuer.keys, audiences, source)]),
    ...(options.bootstrapTokens === true ? [bootstrapTokens(source, audiences)] : [])
  ])
  const lookup = remembering(lookups, source.now)
  const lifetimes = source.metrics?.set.distribution(securityFamilies.certificateExpiry)
  return {
    authenticator: authenticators([
      ...(proxies === undefined ? [] : [frontProxies(proxies, source.now)]),
      clientCertificates(source.now, lifetimes, proxies && isOfProxy(proxies)),
      bearerTokens(lookup, audiences),
      subprotocolTokens(lookup, audiences)
    ]),
    authorizer,
    anonymous: options.anonymous ?? !modes.includes("AlwaysAllow"),
    virtual: [
      ...accessReviews(authorizer),
      selfSubjectReviews(source.now),
      tokenReviews(lookup, audiences),
      ...(issuer === undefined ? [] : [tokenRequests(issuer, source, authorizer)])
    ],
    admission: [
      ...serverAdmissionPlugins(options).map((plugin) =>
        plugin === serviceAccountAdmission ? waitingForDefault(serviceAccountAdmission, source.after) : plugin
      ),
      deviceClaims(authorizer),
      policyParams(authorizer, source),
      ...certificatePlugins(authorizer, options.disabled),
      ...(rbac === undefined ? [] : [escalationCheck(rbac, authorizer)])
    ],
    ...(issuer === undefined ? {} : { issuer: publicIssuer(issuer) })
  }
}

/** Counts what an authorizer allows and denies. */
const counted = (mode: AuthorizationMode, authorizer: Authorizer, { metrics }: SecuritySource): Authorizer => {
  if (metrics === undefined) return authorizer
  const decisions = metrics.set.values(securityFamilies.decisions)
  const count = (decision: string) => decisions.with({ type: mode, name: mode.toLowerCase(), decision })
  return {
    rulesFor: (user, namespace) => authorizer.rulesFor(user, namespace),
    authorize: (request) => {
      const decided = authorizer.authorize(request)
      if (decided.decision !== "NoOpinion") count(decided.decision === "Allow" ? "allowed" : "denied").add()
      return decided
    }
  }
}

const publicIssuer = ({ issuer, keys }: { readonly issuer: string; readonly keys: ReadonlyArray<SigningKey> }) => ({
  issuer,
  keys: keys.map(webKeyOf),
  algorithms: [...new Set(keys.map(({ algorithm }) => algorithm))].toSorted()
})

const authorizerOf = (mode: AuthorizationMode, rbac: Rbac | undefined, source: SecuritySource): Authorizer => {
  if (mode === "Node") return nodeAuthorizer(ReferenceGraph.of(source))
  return mode === "RBAC" && rbac !== undefined ? rbac : alwaysAllow
}

const issuerOf = ({ audiences, issuer, privateKeyPem, publicKeysPem = [] }: ServiceAccountOptions) => {
  const key = signingKey(privateKeyPem)
  return { issuer, key, keys: [key, ...publicKeysPem.map(verifyingKey)], audiences: audiences ?? [issuer] }
}
