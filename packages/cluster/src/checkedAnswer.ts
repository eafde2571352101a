import * as Result from "effect/Result"
import { ConnectionError } from "./ClusterError.ts"
import type { Answer } from "./Connection.ts"

const isAnswer = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  const { kind, metadata } = value as { readonly kind?: unknown; readonly metadata?: unknown }
  return (typeof metadata === "object" && metadata !== null) || kind === "Status"
}

/** Returns the response, or an error when it is not an object, a list or a Status. */
export const checkedAnswer = (answer: Answer): Answer =>
  Result.isFailure(answer) || isAnswer(answer.success)
    ? answer
    : Result.fail(new ConnectionError({ message: "the response is not an object of the API" }))
