import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Status } from "../objects/Status.ts"
import type { Json } from "./Json.ts"

/**
 * A patch cannot be applied. `code` is the HTTP status code of the response. `message` is the text of Kubernetes' patch
 * library, which `statusOfPatchError` replaces by a generic one for code 422. Upstream:
 * apiserver/pkg/endpoints/handlers/patch.go.
 */
export class PatchError extends Schema.TaggedError<PatchError>()("PatchError", {
  code: Schema.Literals([400, 413, 422, 500]),
  message: Schema.String
}) {}

/** Returns the API's response to a failed patch. */
export const statusOfPatchError = (error: PatchError): Status => {
  const failure = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: error.code } as const
  switch (error.code) {
    case 400:
      return { ...failure, reason: "BadRequest", message: error.message }
    case 413:
      return { ...failure, reason: "RequestEntityTooLarge", message: error.message }
    case 422:
      return {
        ...failure,
        reason: "Invalid",
        message: "the server rejected our request due to an error in our request",
        details: {}
      }
    case 500:
      return { ...failure, message: error.message }
  }
}

/** Runs a function, and returns a PatchError that it throws as a failure. Other errors are thrown on. */
export const catchPatchError = (apply: () => Json): Result.Result<Json, PatchError> => {
  try {
    return Result.succeed(apply())
  } catch (error) {
    if (error instanceof PatchError) return Result.fail(error)
    throw error
  }
}
