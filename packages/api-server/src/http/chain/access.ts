import { exactFieldValue, parseDuration, parseFieldSelector, type Status, unauthorized } from "@rollcall/api"
import { nameIsPathSegment } from "@rollcall/api/validation"
import { type FlowRequest, startsWithList } from "@rollcall/flow-control"
import * as Result from "effect/Result"
import type { UserInfo } from "../../core/admission/Admission.ts"
import { authorizationRefusal } from "../../core/ports/authorizationRefusal.ts"
import type { Authenticator, Authorizer, RequestAttributes } from "../../core/ports/Security.ts"
import type { Call } from "../call/Call.ts"
import { canReadListOptions, type Query } from "../request/Query.ts"
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
  const { headers, rawHeaders } = call.request
  const certificate = access.certificateOf(call)
  if (certificate === undefined && hasSpacedToken(headers.authorization)) call.warnings = [SPACED_TOKEN]
  const isInvalid = certificate === "invalid"
  const shown = isInvalid ? undefined : certificate
  const warn = (text: string) => {
    call.warnings = [...call.warnings, text]
  }
  const setSubprotocols =
    headers["sec-websocket-protocol"] === undefined
      ? undefined
      : (header: string) => {
          call.subprotocols = header
        }
  const credentials = { headers, rawHeaders, certificate: shown, warn, setSubprotocols }
  const found = access.authenticator.authenticate(credentials)
  if (found === "invalid" || (found === undefined && (isInvalid || !access.anonymous))) {
    if (isInvalid || found === "invalid") access.unauthenticated?.(call, isInvalid ? "certificate" : "token")
    return unauthorized()
  }
  return found ?? anonymousUser
}

/** Whether two spaces come before a bearer token, which is then not read. Upstream: request/bearertoken/bearertoken.go. */
const hasSpacedToken = (authorization: unknown): boolean =>
  typeof authorization === "string" && /^\s*bearer {2}\s*\S/i.test(authorization)

const SPACED_TOKEN = "the provided Authorization header contains extra space before the bearer token, and is ignored"

const listVerbs: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"])

/** Returns the attributes of a request for authorizers. */
export const attributesOf = (call: Call, user: UserInfo): RequestAttributes => {
  const { info, query } = call
  const { group, isResource, namespace, path, resource, subresource, verb, version } = info
  const selects = listVerbs.has(verb) && info.prefix === ""
  const isCollection = info.name === "" && verb !== "deletecollection"
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
    name: isCollection && fieldSelector ? selectedName(fieldSelector, query) : info.name,
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {})
  }
}

/**
 * Returns the name in a field selector: a list or watch of one object is authorized as that object, unless its options
 * cannot be read. Upstream: apiserver/pkg/endpoints/request/requestinfo.go.
 */
const selectedName = (fieldSelector: string, query: Query): string => {
  const parsed = parseFieldSelector(fieldSelector)
  const name = Result.isSuccess(parsed) ? (exactFieldValue(parsed.success, "metadata.name") ?? "") : ""
  return name !== "" && nameIsPathSegment(name, false).length === 0 && canReadListOptions(query) ? name : ""
}

/** Returns the 403 of a request; undefined if it is allowed. */
export const authorize = ({ authorizer }: Access, attributes: RequestAttributes): Status | undefined => {
  const decided = authorizer.authorize(attributes)
  return decided.decision === "Allow" ? undefined : authorizationRefusal(attributes, decided)
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
  if (fieldSelector !== undefined && selectedName(fieldSelector, query) !== "") return undefined
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
