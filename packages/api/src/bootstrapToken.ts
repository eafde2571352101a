import type { Secret } from "./objects/Core.ts"
import { parseTime } from "./Time.ts"

/*
 * Bootstrap tokens: Secrets of kube-system with which a new node asks for its certificate. Upstream:
 * staging/src/k8s.io/cluster-bootstrap.
 */

export const BOOTSTRAP_TOKEN_NAMESPACE = "kube-system"
const BOOTSTRAP_TOKEN_TYPE = "bootstrap.kubernetes.io/token"
const NAME_PREFIX = "bootstrap-token-"
const DEFAULT_GROUP = "system:bootstrappers"
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const idPattern = /^[a-z0-9]{6}$/

/** The content of the Secret of a bootstrap token. */
export interface BootstrapToken {
  readonly id: string
  readonly secret: string
  /** When it expires, in milliseconds since the epoch; 0 if the time cannot be read, Infinity without one. */
  readonly expiresMs: number
  readonly mayAuthenticate: boolean
  readonly maySign: boolean
  /** The groups of its user, sorted; undefined if one of them is no group of bootstrappers. */
  readonly groups: ReadonlyArray<string> | undefined
}

export const isBootstrapToken = ({ metadata, type }: Secret): boolean =>
  type === BOOTSTRAP_TOKEN_TYPE && metadata.namespace === BOOTSTRAP_TOKEN_NAMESPACE

/** Returns the ID and the secret of a token such as `abcdef.0123456789abcdef`. */
export const parseBootstrapToken = (token: string): { readonly id: string; readonly secret: string } | undefined => {
  const [, id, secret] = tokenPattern.exec(token) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/** Returns the name of a token's Secret. */
export const bootstrapTokenName = (id: string): string => `${NAME_PREFIX}${id}`

/** Whether a Secret has the name of its token. */
export const isNamedForToken = ({ metadata: { name = "" } }: Secret, id: string): boolean =>
  idPattern.test(id) && name === bootstrapTokenName(id)

const groupsOf = (extra: string): BootstrapToken["groups"] => {
  const groups = extra === "" ? [] : extra.split(",")
  return groups.every((group) => groupPattern.test(group))
    ? [...new Set([DEFAULT_GROUP, ...groups])].toSorted()
    : undefined
}

/** Reads the Secret of a token; `decode` decodes base64. */
export const readBootstrapToken = ({ data = {} }: Secret, decode: (base64: string) => string): BootstrapToken => {
  const text = (key: string): string => decode(data?.[key] ?? "")
  const expiration = text("expiration")
  const time = parseTime(expiration)
  return {
    id: text("token-id"),
    secret: text("token-secret"),
    expiresMs: expiration === "" ? Number.POSITIVE_INFINITY : Number.isNaN(time) ? 0 : time,
    mayAuthenticate: text("usage-bootstrap-authentication") === "true",
    maySign: text("usage-bootstrap-signing") === "true",
    groups: groupsOf(text("auth-extra-groups"))
  }
}
