import {
  badRequest,
  exactFieldValue,
  parseDuration,
  parseFieldSelector,
  type Status,
  unauthorized
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { UserInfo } from "../../core/admission/Admission.ts"
import { authorizationRefusal } from "../../core/ports/authorizationRefusal.ts"
import type { Authenticator, Authorizer, RequestAttributes } from "../../core/ports/Security.ts"
import type { Call } from "../call/Call.ts"
import type { FlowRequest } from "../flowcontrol/FlowControl.ts"
import { startsWithList } from "../flowcontrol/limits.ts"
import type { RequestInfo } from "../request/RequestInfo.ts"
import type { HttpRequest } from "../wire/HttpPort.ts"

/** What decides who a caller is and what it may do. */
export interface Access {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Whether requests without credentials are those of `system:anonymous`; otherwise they are refused. */
  readonly anonymous: boolean
  /**
   * Returns the client's certificate as DER if TLS has verified it; `invalid` if a certificate was presented and failed
   * verification.
   */
  readonly certificateOf: (call: Call) => Uint8Array | "invalid" | undefined
  /** Called for requests with invalid credentials, with the kind of credential. */
  readonly unauthenticated?: (call: Call, shown: "certificate" | "token") => void
}

const anonymousUser: UserInfo = { user: "system:anonymous", groups: ["system:unauthenticated"] }

/**
 * Returns the authenticated caller, before impersonation, or the 401 that refuses it. An invalid certificate is
 * refused, unless a token authenticates the caller. Upstream: apiserver/pkg/authentication/request/{x509,union}, where
 * the error of one authenticator is returned if no other succeeds.
 */
export const authenticate = (access: Access, call: Call): UserInfo | Status => {
  const { headers } = call.request
  const certificate = access.certificateOf(call)
  const isInvalid = certificate === "invalid"
  const found = access.authenticator.authenticate({ headers, certificate: isInvalid ? undefined : certificate })
  if (found === "invalid" || (found === undefined && (isInvalid || !access.anonymous))) {
    if (isInvalid || found === "invalid") access.unauthenticated?.(call, isInvalid ? "certificate" : "token")
    return unauthorized()
  }
  return found ?? anonymousUser
}

const listVerbs: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"])

/** Returns the attributes of a request for authorizers. */
export const attributesOf = (call: Call, user: UserInfo): RequestAttributes => {
  const { info, query } = call
  const { group, isResource, namespace, path, resource, subresource, verb, version } = info
  const selects = listVerbs.has(verb)
  const fieldSelector = selects ? query.text("fieldSelector") : undefined
  const labelSelector = selects ? query.text("labelSelector") : undefined
  return {
    user,
    verb,
    isResource,
    path,
    group,
    version,
    resource,
    subresource,
    namespace,
    name: info.name === "" && fieldSelector ? selectedName(fieldSelector) : info.name,
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {})
  }
}

/** Returns the name in a field selector: a list of one object is authorized as that object. */
const selectedName = (fieldSelector: string): string => {
  const parsed = parseFieldSelector(fieldSelector)
  return Result.isSuccess(parsed) ? (exactFieldValue(parsed.success, "metadata.name") ?? "") : ""
}

/** Returns the 403 of a request; undefined if it is allowed. */
export const authorize = ({ authorizer }: Access, attributes: RequestAttributes): Status | undefined => {
  const decided = authorizer.authorize(attributes)
  return decided.decision === "Allow" ? undefined : authorizationRefusal(attributes, decided)
}

const IMPERSONATE = "impersonate-"
const EXTRA = "impersonate-extra-"

/** Returns all values of a header that may be repeated. */
const headerValues = (call: Call, name: string): ReadonlyArray<string> => {
  const { rawHeaders } = call.request
  const values: Array<string> = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? "")
  }
  return values
}

/** Whether any header requests impersonation. */
const impersonates = (call: Call): boolean => {
  for (const name in call.request.headers) if (name.startsWith(IMPERSONATE)) return true
  return false
}

const serviceAccountUser = /^system:serviceaccount:([^:]+):([^:]+)$/

/** A part of the identity to impersonate, as the resource that the caller must be allowed to impersonate. */
interface ImpersonatedResource {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

/**
 * Returns the user of the request: the caller, or the user that it impersonates; or the Status that refuses. Upstream:
 * endpoints/filters/impersonation.go.
 */
export const impersonate = (access: Access, call: Call, caller: UserInfo): UserInfo | Status => {
  if (!impersonates(call)) return caller
  const user = headerValues(call, "impersonate-user")[0] ?? ""
  const groups = headerValues(call, "impersonate-group")
  const uid = headerValues(call, "impersonate-uid")[0] ?? ""
  const extra = extraOf(call)
  if (user === "" && groups.length === 0 && uid === "" && extra.size === 0) return caller
  if (user === "") return badRequest(missingUserMessage(groups, uid, extra))
  const impersonated = impersonatedResources(user, groups, uid, extra)
  for (const { group, name, namespace, resource, subresource } of impersonated) {
    const attributes = { ...impersonateAttributes(caller, call.info), group, name, namespace, resource, subresource }
    const refusal = authorize(access, attributes)
    if (refusal !== undefined) return refusal
  }
  return {
    user,
    groups: groupsOf(user, groups),
    ...(uid === "" ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) })
  }
}

const impersonateAttributes = (user: UserInfo, { path }: RequestInfo) => ({
  user,
  verb: "impersonate",
  isResource: true,
  path,
  version: "v1"
})

const extraOf = (call: Call): ReadonlyMap<string, ReadonlyArray<string>> => {
  const extra = new Map<string, ReadonlyArray<string>>()
  for (const name of Object.keys(call.request.headers)) {
    if (name.startsWith(EXTRA)) extra.set(decodedKey(name.slice(EXTRA.length)), headerValues(call, name))
  }
  return extra
}

const decodedKey = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

type Extra = ReadonlyMap<string, ReadonlyArray<string>>

const impersonatedResources = (
  user: string,
  groups: ReadonlyArray<string>,
  uid: string,
  extra: Extra
): ReadonlyArray<ImpersonatedResource> => {
  const account = serviceAccountUser.exec(user)
  const coreGroup = { group: "", namespace: "", subresource: "" }
  const resources: Array<ImpersonatedResource> = [
    account === null
      ? { ...coreGroup, resource: "users", name: user }
      : { ...coreGroup, resource: "serviceaccounts", namespace: account[1] ?? "", name: account[2] ?? "" }
  ]
  for (const name of groups) resources.push({ ...coreGroup, resource: "groups", name })
  const authentication = { ...coreGroup, group: "authentication.k8s.io" }
  for (const [key, values] of extra) {
    for (const name of values) resources.push({ ...authentication, resource: "userextras", subresource: key, name })
  }
  if (uid !== "") resources.push({ ...authentication, resource: "uids", name: uid })
  return resources
}

/** Returns the groups of an impersonated user: the requested ones, and the default ones of its kind of user. */
const groupsOf = (user: string, groups: ReadonlyArray<string>): ReadonlyArray<string> => {
  const account = serviceAccountUser.exec(user)
  const own =
    groups.length === 0 && account !== null
      ? ["system:serviceaccounts", `system:serviceaccounts:${account[1]}`]
      : [...groups]
  if (user === "system:anonymous")
    return own.includes("system:unauthenticated") ? own : [...own, "system:unauthenticated"]
  return own.includes("system:authenticated") || own.includes("system:unauthenticated")
    ? own
    : [...own, "system:authenticated"]
}

/** Prints a slice as Go's `%#v` does. */
const goList = (values: ReadonlyArray<string>): string =>
  values.length === 0 ? "[]string(nil)" : `[]string{${values.map((value) => JSON.stringify(value)).join(", ")}}`

const missingUserMessage = (groups: ReadonlyArray<string>, uid: string, extra: Extra): string => {
  const pairs = [...extra].map(([key, values]) => `${JSON.stringify(key)}:${goList(values)}`)
  const map = pairs.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${pairs.join(", ")}}`
  return `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goList(groups)}, Extra:${map}} without impersonating a user name`
}

/** Upstream: the default of `--request-timeout`, of which a request may spend a quarter in a queue. */
const REQUEST_TIMEOUT_MS = 60_000
const WAIT_DIVISOR = 4
const MAX_WAIT_MS = REQUEST_TIMEOUT_MS / WAIT_DIVISOR

type FlowCall = Pick<Call, "identity" | "info" | "query">

/** Returns the request as flow control sees it. Upstream: apiserver/pkg/server/filters/priority-and-fairness.go. */
export const flowRequestOf = (call: FlowCall): FlowRequest => {
  const { identity: user, info, query } = call
  if (query.empty) {
    const listLimit = info.verb === "list" || info.verb === "watch" ? 0 : undefined
    return { info, user, waitMs: MAX_WAIT_MS, listLimit }
  }
  return { info, user, waitMs: waitMsOf(call), listLimit: listLimitOf(call) }
}

/**
 * Returns how long a request may wait: less if its client has a shorter timeout. The timeout of a watch is its
 * duration.
 */
const waitMsOf = ({ info, query }: FlowCall): number => {
  const timeout = info.verb === "watch" ? undefined : query.text("timeout")
  const timeoutMs = timeout === undefined ? Number.NaN : parseDuration(timeout)
  return timeoutMs > 0 ? Math.min(timeoutMs, REQUEST_TIMEOUT_MS) / WAIT_DIVISOR : MAX_WAIT_MS
}

/** Returns the `limit` of a request that returns a list (0 without one), undefined for any other request. */
const listLimitOf = ({ info, query }: FlowCall): number | undefined => {
  const { verb } = info
  if (verb !== "list" && verb !== "watch") return undefined
  const fieldSelector = query.text("fieldSelector")
  if (fieldSelector !== undefined && selectedName(fieldSelector) !== "") return undefined
  if (verb === "list") return Math.max(0, Math.trunc(Number(query.text("limit") ?? 0)) || 0)
  const sendInitialEvents = query.text("sendInitialEvents") === "true"
  return startsWithList(query.text("resourceVersion"), sendInitialEvents) ? 0 : undefined
}

/** The longest `Audit-Id` that is taken over from a request. */
const MAX_AUDIT_ID = 64

export const auditIdOf = (request: HttpRequest): string | undefined => {
  const given = request.headers["audit-id"]
  return typeof given === "string" && given !== "" && given.length <= MAX_AUDIT_ID ? given : undefined
}
