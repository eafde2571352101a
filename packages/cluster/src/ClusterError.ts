import type { Status } from "@rollcall/api"
import * as Schema from "effect/Schema"

/** The API server refused: its Status, with Kubernetes' reason, code, message and causes. */
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

/** No answer came: refused, cut, or timed out. Whether the server acted is not known. */
export class ConnectionError extends Schema.TaggedError<ConnectionError>()("ConnectionError", {
  message: Schema.String
}) {}

export type ClusterError = ApiError | ConnectionError

/** What a request came to that could not be made, or whose answer could not be read: something threw on the way. */
export const thrownBy = (what: string, error: unknown): ConnectionError =>
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
/** The history that a watch or a list asked for is gone (410): list anew. */
export const isGone = (error: ClusterError): error is ApiError =>
  error._tag === "ApiError" && (error.reason === "Expired" || error.reason === "Gone")
