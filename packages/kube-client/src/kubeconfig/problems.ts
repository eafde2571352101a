import { type InvalidInput, invalid } from "@rollcall/input"
import * as Predicate from "effect/Predicate"

const isInvalidInput = (cause: unknown): cause is InvalidInput => Predicate.isTagged(cause, "InvalidInput")

/** What stood in the way of writing a file, as a problem of it. */
export const fileProblem = (file: string, cause: unknown): InvalidInput =>
  isInvalidInput(cause)
    ? cause
    : invalid(file, "", `cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
