import * as Result from "effect/Result"
import { ApiError } from "../ClusterError.ts"
import type { Answer } from "../Connection.ts"

/** An error response of an API server, whose message is its reason. */
export const refusal = (code: number, reason: string, message = reason): ApiError =>
  new ApiError({ status: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code, reason, message } })

/** Returns the answer with that error. */
export const refused = (code: number, reason: string): Answer => Result.fail(refusal(code, reason))
