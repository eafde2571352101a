import { type InvalidInput, invalid } from "@rollcall/input"
import * as Predicate from "effect/Predicate"

const isInvalidInput = (cause: unknown): cause is InvalidInput => Predicate.isTagged(cause, "InvalidInput")

/** Makes the problem of a file that cannot be written from the error; an InvalidInput is returned unchanged. */
export const fileProblem = (file: string, cause: unknown): InvalidInput =>
  isInvalidInput(cause)
    ? cause
    : invalid(file, "", `cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
