import type { Status } from "@rollcall/api"
import * as Schema from "effect/Schema"

/** The API server refused the request: its Status, with Kubernetes' reason, code, message and causes. */
export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  status: Schema.Any
}) {
  declare readonly status: Status

  get reason(): string {
    return this.status.reason ?? ""
  }
  get code(): number {
    return this.status.code ?? 500
  }
  override get message(): string {
    return this.status.message ?? this.reason
  }
}

/** V8's setting of how many calls a stack has. */
const errors: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error

/**
 * Returns the error of a server in the same process, without a stack: that would say nothing about the caller, and costs a
 * tenth of a kubelet's start.
 */
export const apiErrorOf = (status: Status): ApiError => {
  const { stackTraceLimit } = errors
  errors.stackTraceLimit = 0
  try {
    return new ApiError({ status })
  } finally {
    errors.stackTraceLimit = stackTraceLimit
  }
}

/**
 * No response arrived: the connection was refused, cut, or timed out. Whether the server executed the request is
 * unknown.
 */
export class ConnectionError extends Schema.TaggedError<ConnectionError>()("ConnectionError", {
  message: Schema.String
}) {}

export type ClusterError = ApiError | ConnectionError

/** Wraps an error that was thrown while a request was made or its response was read. */
export const connectionErrorFrom = (what: string, error: unknown): ConnectionError =>
  new ConnectionError({ message: `${what}: ${error instanceof Error ? error.message : String(error)}` })

const hasReason =
  (reason: string) =>
  (error: ClusterError): error is ApiError =>
    error._tag === "ApiError" && error.reason === reason

export const isNotFound = hasReason("NotFound")
export const isConflict = hasReason("Conflict")
export const isAlreadyExists = hasReason("AlreadyExists")
export const isForbidden = hasReason("Forbidden")
export const isInvalid = hasReason("Invalid")
/** Whether the history that a watch or a list needs has been compacted (410): list again. */
export const isGone = (error: ClusterError): error is ApiError =>
  error._tag === "ApiError" && (error.reason === "Expired" || error.reason === "Gone")
