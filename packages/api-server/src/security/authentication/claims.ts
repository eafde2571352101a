import { randomUUID } from "node:crypto"
import type { KubeObject, Node, Pod, ServiceAccount } from "@rollcall/api"
import { serviceAccountUser } from "@rollcall/rbac"

/** The claims of a service account token; times are in seconds since the Unix epoch. Upstream: pkg/serviceaccount/claims.go. */
export interface Claims {
  readonly iss: string
  readonly sub: string
  readonly aud: ReadonlyArray<string>
  readonly exp: number
  readonly iat: number
  readonly nbf: number
  readonly jti: string
  readonly "kubernetes.io": {
    readonly namespace: string
    readonly serviceaccount: Ref
    readonly pod?: Ref
    readonly secret?: Ref
    readonly node?: Ref
    readonly warnafter?: number
  }
}

/** An object that a token names. */
export interface Ref {
  readonly name: string
  readonly uid?: string
}

/** The objects that a token is bound to, whose deletion invalidates it; and the node of a bound pod. */
export interface Bound {
  readonly pod?: Pod
  readonly secret?: KubeObject
  readonly node?: Node
}

/** What a new token is to contain. */
export interface TokenPlan {
  readonly issuer: string
  readonly account: ServiceAccount
  readonly bound: Bound
  readonly audiences: ReadonlyArray<string>
  readonly nowMs: number
  readonly expirationSeconds: number
  /** The age from which its use is reported, for a token that is valid for longer than requested. */
  readonly warnAfterSeconds?: number
}

const refOf = ({ metadata: { name = "", uid } }: KubeObject): Ref => ({ name, ...(uid === undefined ? {} : { uid }) })

/** Returns the claims of a new token, with a random id. */
export const claimsFor = (plan: TokenPlan): Claims => {
  const { account, audiences, bound, expirationSeconds, issuer, nowMs, warnAfterSeconds } = plan
  const { name = "", namespace = "" } = account.metadata
  const now = Math.floor(nowMs / 1000)
  return {
    aud: audiences,
    exp: now + expirationSeconds,
    iat: now,
    iss: issuer,
    jti: randomUUID(),
    "kubernetes.io": {
      namespace,
      ...(bound.node === undefined ? {} : { node: refOf(bound.node) }),
      ...(bound.pod === undefined ? {} : { pod: refOf(bound.pod) }),
      ...(bound.secret === undefined ? {} : { secret: refOf(bound.secret) }),
      serviceaccount: refOf(account),
      ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds })
    },
    nbf: now,
    sub: serviceAccountUser(namespace, name)
  }
}

const isRef = (value: unknown): value is Ref =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"

/** Returns the claims of a token whose signature is valid, or undefined if they do not have this form. */
export const readClaims = (claims: Readonly<Record<string, unknown>>): Claims | undefined => {
  const { aud, exp, "kubernetes.io": own, nbf } = claims
  if (!Array.isArray(aud) || typeof exp !== "number" || typeof nbf !== "number") return undefined
  if (typeof own !== "object" || own === null) return undefined
  const { namespace, serviceaccount } = own as Readonly<Record<string, unknown>>
  return typeof namespace === "string" && isRef(serviceaccount) ? (claims as object as Claims) : undefined
}
