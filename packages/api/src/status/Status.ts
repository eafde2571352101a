import type { Status, StatusCause, StatusDetails } from "../objects/Status.ts"
import type { Resource } from "../Resource.ts"
import { type FieldErrors, fieldErrorBody, fieldErrorsText, toldErrors } from "../validation/FieldError.ts"

/**
 * The answers of the API that are not objects, with the texts, reasons and codes of Kubernetes.
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.
 */

/** What an error is about: `{ group: "apps", resource: "deployments" }`; the core group is empty. */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** A kind within its group, as Invalid names it. */
export interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** How errors name a resource of the API. */
export const groupResourceOf = (resource: Resource): GroupResource => ({
  group: resource.group,
  resource: resource.plural
})

const qualified = (name: string, group: string): string => (group === "" ? name : `${name}.${group}`)

/** `leases.coordination.k8s.io`, or `nodes`. */
export const groupResourceText = ({ group, resource }: GroupResource): string => qualified(resource, group)

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

const about = (name: string, group: string, kind: string, more: StatusDetails = {}): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(group === "" ? {} : { group }),
  ...(kind === "" ? {} : { kind }),
  ...more
})

const retryAfter = (seconds: number): StatusDetails => (seconds === 0 ? {} : { retryAfterSeconds: seconds })

/** 404: there is no such object. */
export const notFound = (resource: GroupResource, name: string): Status =>
  failure(
    404,
    "NotFound",
    `${groupResourceText(resource)} "${name}" not found`,
    about(name, resource.group, resource.resource)
  )

/** 409: a create found the name taken. */
export const alreadyExists = (resource: GroupResource, name: string): Status =>
  failure(
    409,
    "AlreadyExists",
    `${groupResourceText(resource)} "${name}" already exists`,
    about(name, resource.group, resource.resource)
  )

/** 409: every name that generateName came up with was taken. */
export const generateNameConflict = (resource: GroupResource, name: string, retryAfterSeconds: number): Status =>
  failure(
    409,
    "AlreadyExists",
    `${groupResourceText(resource)} "${name}" already exists, the server was not able to generate a unique name for the object`,
    about(name, resource.group, resource.resource, retryAfter(retryAfterSeconds))
  )

/** 401: the caller did not say who they are in a way that the server believes. */
export const unauthorized = (message = "Unauthorized"): Status => failure(401, "Unauthorized", message)

/** 403: refused by authorization or admission. An empty resource: the request was not about one. */
export const forbidden = (
  resource: GroupResource,
  name: string,
  why: string,
  causes: ReadonlyArray<StatusCause> = []
): Status => {
  const what = groupResourceText(resource)
  const subject = what === "" ? "forbidden" : name === "" ? `${what} is forbidden` : `${what} "${name}" is forbidden`
  const details = about(name, resource.group, resource.resource, causes.length === 0 ? {} : { causes })
  return failure(403, "Forbidden", `${subject}: ${why}`, details)
}

/** 403: content for a namespace that is on its way out. */
export const namespaceTerminating = (resource: GroupResource, name: string, namespace: string): Status =>
  forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace"
    }
  ])

/** 409: the object is not as the caller believes it to be. */
export const conflict = (resource: GroupResource, name: string, why: string): Status =>
  failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${groupResourceText(resource)} "${name}": ${why}`,
    about(name, resource.group, resource.resource)
  )

const staleText = "the object has been modified; please apply your changes to the latest version and try again"

/** 409: the resourceVersion of an update is not that of the stored object. */
export const staleResourceVersion = (resource: GroupResource, name: string): Status =>
  conflict(resource, name, staleText)

/** 409: a server-side apply met fields that others own. */
export const applyConflict = (causes: ReadonlyArray<StatusCause>, message: string): Status =>
  failure(409, "Conflict", message, { causes })

/** 410: an address that was valid once. Clients treat it as they do Expired. */
export const gone = (message: string): Status => failure(410, "Gone", message)

/** 410: the history that a list or watch asks for is compacted. */
export const expired = (message: string): Status => failure(410, "Expired", message)

/** 422: the object breaks rules; each fault is a cause. */
export const invalid = (kind: GroupKind, name: string, all: FieldErrors): Status => {
  const errors = toldErrors(all)
  const causes = errors.map((error) => ({ reason: error.type, message: fieldErrorBody(error), field: error.field }))
  const subject = `${qualified(kind.kind, kind.group)} "${name}" is invalid`
  return failure(
    422,
    "Invalid",
    errors.length === 0 ? subject : `${subject}: ${fieldErrorsText(errors)}`,
    about(name, kind.group, kind.kind, causes.length === 0 ? {} : { causes })
  )
}

/** 400: the request makes no sense, whatever is stored. */
export const badRequest = (why: string): Status => failure(400, "BadRequest", why)

/** 429: come back later. */
export const tooManyRequests = (
  message: string,
  retryAfterSeconds: number,
  causes: ReadonlyArray<StatusCause> = []
): Status =>
  failure(429, "TooManyRequests", message, {
    ...(causes.length === 0 ? {} : { causes }),
    ...retryAfter(retryAfterSeconds)
  })

/** 503 */
export const serviceUnavailable = (why: string): Status => failure(503, "ServiceUnavailable", why)

/** 405: the resource does not know this verb. */
export const methodNotSupported = (resource: GroupResource, verb: string): Status =>
  failure(
    405,
    "MethodNotAllowed",
    `${verb} is not supported on resources of kind "${groupResourceText(resource)}"`,
    about("", resource.group, resource.resource)
  )

/** 500: the storage took too long; the operation may be tried again. */
export const serverTimeout = (resource: GroupResource, operation: string, retryAfterSeconds: number): Status =>
  failure(
    500,
    "ServerTimeout",
    `The ${operation} operation against ${groupResourceText(resource)} could not be completed at this time, please try again.`,
    about(operation, resource.group, resource.resource, retryAfter(retryAfterSeconds))
  )

/** 500: the server's own fault. */
export const internalError = (why: string): Status =>
  failure(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] })

/** 500 without a reason: what the server makes of an error that names none. */
export const unknownError = (message: string): Status => failure(500, "", message)

/** 504: the request ran out of time. */
export const timeout = (why: string, retryAfterSeconds: number, causes: ReadonlyArray<StatusCause> = []): Status =>
  failure(504, "Timeout", `Timeout: ${why}`, {
    ...(causes.length === 0 ? {} : { causes }),
    ...retryAfter(retryAfterSeconds)
  })

/** 504: the revision asked for has not happened yet. */
export const tooLargeResourceVersion = (requested: number, current: number, retryAfterSeconds: number): Status =>
  timeout(`Too large resource version: ${requested}, current: ${current}`, retryAfterSeconds, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" }
  ])

/** 413 */
export const requestEntityTooLarge = (why: string): Status =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: ${why}`)

/** 406: nothing that the caller accepts can be made. */
export const notAcceptable = (available: ReadonlyArray<string>): Status =>
  failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`, {})

/** 415: the body is in a format that the server does not read. */
export const unsupportedMediaType = (accepted: ReadonlyArray<string>): Status =>
  failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`
  )

const generic: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", "the server does not allow access to the requested resource"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request"
  ]
}

/** What is said about a bare HTTP code. Upstream: NewGenericServerResponse. */
export const genericResponse = (code: number): Status => {
  const [reason, message] = generic[code] ?? [
    "",
    `the server responded with the status code ${code} but did not return more information`
  ]
  return failure(code, reason, message, {})
}

/** What a write answers that has no object to show: a delete, a binding, an eviction. */
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
