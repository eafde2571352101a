import * as Result from "effect/Result"
import { ConnectionError } from "./ClusterError.ts"
import type { Answer } from "./Connection.ts"

const isAnswer = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  const { kind, metadata } = value as { readonly kind?: unknown; readonly metadata?: unknown }
  return (typeof metadata === "object" && metadata !== null) || kind === "Status"
}

/** The answer, unless it is neither an object nor a list nor a Status: then the request has failed. */
export const checkedAnswer = (answer: Answer): Answer =>
  Result.isFailure(answer) || isAnswer(answer.success)
    ? answer
    : Result.fail(new ConnectionError({ message: "the answer is no object of the API" }))
