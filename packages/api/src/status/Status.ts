import type { Status, StatusCause, StatusDetails } from "../objects/Status.ts"
import type { Resource } from "../Resource.ts"
import { boundedErrors, type FieldErrors, fieldErrorBody, fieldErrorsText } from "../validation/FieldError.ts"
import { goQuote } from "../validation/goFormat.ts"

/**
 * The API's responses that are not objects, with the messages, reasons and codes of Kubernetes.
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.
 */

/** The resource of an error: `{ group: "apps", resource: "deployments" }`; the core group is empty. */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** A kind and its group, as Invalid names it. */
export interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** Returns the group and resource of a kind, as errors name it. */
export const groupResourceOf = (resource: Resource): GroupResource => ({
  group: resource.group,
  resource: resource.plural
})

const withGroup = (name: string, group: string): string => (group === "" ? name : `${name}.${group}`)

/** Formats `leases.coordination.k8s.io`, or `nodes`. */
export const groupResourceText = ({ group, resource }: GroupResource): string => withGroup(resource, group)

/** Makes a Status with the fields in the order in which Kubernetes writes them. An empty reason is omitted. */
const failure = (code: number, reason: string, message: string, details?: StatusDetails): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  ...(reason === "" ? {} : { reason }),
  ...(details === undefined ? {} : { details }),
  code
})

const detailsOf = (name: string, group: string, kind: string, more: StatusDetails = {}): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(group === "" ? {} : { group }),
  ...(kind === "" ? {} : { kind }),
  ...more
})

const retryAfter = (seconds: number): StatusDetails => (seconds === 0 ? {} : { retryAfterSeconds: seconds })

/** 404: the object does not exist. */
export const notFound = (resource: GroupResource, name: string): Status =>
  failure(
    404,
    "NotFound",
    `${groupResourceText(resource)} ${goQuote(name)} not found`,
    detailsOf(name, resource.group, resource.resource)
  )

/** 409: an object with the name of a create exists. */
export const alreadyExists = (resource: GroupResource, name: string): Status =>
  failure(
    409,
    "AlreadyExists",
    `${groupResourceText(resource)} ${goQuote(name)} already exists`,
    detailsOf(name, resource.group, resource.resource)
  )

/** 409: all names generated from generateName were taken. */
export const generateNameConflict = (resource: GroupResource, name: string, retryAfterSeconds: number): Status =>
  failure(
    409,
    "AlreadyExists",
    `${groupResourceText(resource)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    detailsOf(name, resource.group, resource.resource, retryAfter(retryAfterSeconds))
  )

/** 401: the request has no valid credentials. */
export const unauthorized = (message = "Unauthorized"): Status => failure(401, "Unauthorized", message)

/** 403: rejected by authorization or admission. The resource of a non-resource request is empty. */
export const forbidden = (
  resource: GroupResource,
  name: string,
  why: string,
  causes: ReadonlyArray<StatusCause> = []
): Status => {
  const what = groupResourceText(resource)
  const subject =
    what === "" ? "forbidden" : name === "" ? `${what} is forbidden` : `${what} ${goQuote(name)} is forbidden`
  const details = detailsOf(name, resource.group, resource.resource, causes.length === 0 ? {} : { causes })
  return failure(403, "Forbidden", `${subject}: ${why}`, details)
}

/** 403: creation in a namespace that is terminating. */
export const namespaceTerminating = (resource: GroupResource, name: string, namespace: string): Status =>
  forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace"
    }
  ])

/** 409: the object is in a different state than the request expects. */
export const conflict = (resource: GroupResource, name: string, why: string): Status =>
  failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${groupResourceText(resource)} ${goQuote(name)}: ${why}`,
    detailsOf(name, resource.group, resource.resource)
  )

const modifiedMessage = "the object has been modified; please apply your changes to the latest version and try again"

/** 409: the resourceVersion of an update differs from the stored object's. */
export const staleResourceVersion = (resource: GroupResource, name: string): Status =>
  conflict(resource, name, modifiedMessage)

/** 410: the requested revision of a list or watch has been compacted. */
export const expired = (message: string): Status => failure(410, "Expired", message)

/** 422: the object is invalid; each error is a cause. */
export const invalid = (kind: GroupKind, name: string, all: FieldErrors): Status => {
  const errors = boundedErrors(all)
  const bodies = errors.map(fieldErrorBody)
  const causes = errors.map(({ field, type }, index) => ({ reason: type, message: bodies[index] ?? "", field }))
  const subject = `${withGroup(kind.kind, kind.group)} ${goQuote(name)} is invalid`
  return failure(
    422,
    "Invalid",
    errors.length === 0 ? subject : `${subject}: ${fieldErrorsText(errors, bodies)}`,
    detailsOf(name, kind.group, kind.kind, causes.length === 0 ? {} : { causes })
  )
}

/** 400: the request is malformed, independent of the stored state. */
export const badRequest = (why: string): Status => failure(400, "BadRequest", why)

/** 429: retry later. */
export const tooManyRequests = (
  message: string,
  retryAfterSeconds: number,
  causes: ReadonlyArray<StatusCause> = []
): Status =>
  failure(429, "TooManyRequests", message, {
    ...(causes.length === 0 ? {} : { causes }),
    ...retryAfter(retryAfterSeconds)
  })

/** 503: the server cannot handle the request at present. */
export const serviceUnavailable = (why: string): Status => failure(503, "ServiceUnavailable", why)

/** 405: the resource does not support this verb. */
export const methodNotSupported = (resource: GroupResource, verb: string): Status =>
  failure(
    405,
    "MethodNotAllowed",
    `${verb} is not supported on resources of kind "${groupResourceText(resource)}"`,
    detailsOf("", resource.group, resource.resource)
  )

/** 500: an internal error of the server. */
export const internalError = (why: string): Status =>
  failure(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] })

/** 500 without a reason, as the server of Kubernetes answers an error that has none. */
export const unknownError = (message: string): Status => failure(500, "", message)

/** 504: the request timed out. */
export const timeout = (why: string, retryAfterSeconds: number, causes: ReadonlyArray<StatusCause> = []): Status =>
  failure(504, "Timeout", `Timeout: ${why}`, {
    ...(causes.length === 0 ? {} : { causes }),
    ...retryAfter(retryAfterSeconds)
  })

/** 504: the requested revision is in the future. */
export const tooLargeResourceVersion = (requested: number, current: number, retryAfterSeconds: number): Status =>
  timeout(`Too large resource version: ${requested}, current: ${current}`, retryAfterSeconds, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" }
  ])

/** 413: the request's body is larger than the limit. */
export const requestEntityTooLarge = (why: string): Status =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: ${why}`)

const genericReasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  406: ["NotAcceptable", "the server was unable to respond with a content type that the client supports"],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request"
  ]
}

/** The object that a response is about, and its text. */
interface GenericSubject {
  readonly resource: GroupResource
  readonly name: string
  readonly text: string
}

/** The codes whose message is the text of the response. */
const textualReasons: Readonly<Record<number, string>> = {
  403: "Forbidden",
  406: "NotAcceptable",
  415: "UnsupportedMediaType"
}

/** The texts of responses without one. */
const saysNothing: ReadonlySet<string> = new Set(["", "unknown"])

const genericReason = (code: number, text: string | undefined): readonly [reason: string, message: string] => {
  const textual = textualReasons[code]
  const known = genericReasons[code]
  if (text !== undefined && textual !== undefined && (known === undefined || !saysNothing.has(text)))
    return [textual, text]
  if (known !== undefined) return known
  return text !== undefined && code >= 500
    ? ["InternalError", `an error on the server (${goQuote(text)}) has prevented the request from succeeding`]
    : ["", `the server responded with the status code ${code} but did not return more information`]
}

/**
 * Returns the Status of a response of which only the HTTP code is known, and maybe what it is about. Upstream:
 * NewGenericServerResponse, with no verb.
 */
export const genericResponse = (code: number, subject?: GenericSubject): Status => {
  const [reason, message] = genericReason(code, subject?.text)
  if (subject === undefined) return failure(code, reason, message, {})
  const { name, resource } = subject
  const about = `${message} ( ${groupResourceText(resource)} ${name})`
  return failure(code, reason, about, detailsOf(name, resource.group, resource.resource))
}

/** How much of an answer's text an error shows. */
const MAX_TEXT = 2048

/**
 * Returns the Status of an answer that holds none, as client-go makes it. An answer without a Content-Type is text. Upstream:
 * client-go/rest/request.go, newUnstructuredResponseError.
 */
export const unstructuredResponse = (code: number, body: string, contentType = ""): Status => {
  const text = contentType === "" || /^text\//i.test(contentType) ? body.slice(0, MAX_TEXT).trim() : "unknown"
  const [reason, message] = genericReason(code, text)
  return failure(code, reason, message, { causes: [{ reason: "UnexpectedServerResponse", message: text }] })
}

/** The response to a write that returns no object: a delete, a binding, an eviction. */
export const success = (details?: StatusDetails, code?: number): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...(details === undefined ? {} : { details }),
  ...(code === undefined ? {} : { code })
})

/** Whether a value is a Status that reports a failure. */
export const isFailure = (value: unknown): value is Status =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  value.kind === "Status" &&
  "status" in value &&
  value.status === "Failure"
