import type { InvalidInput } from "@rollcall/input"

/**
 * Whether an error is about what was given: a file, an option, a scenario. Its `problems` have file, path and line, what
 * was found and what is expected; its `message` has a line for each.
 */
export const isInvalidInput = (error: unknown): error is InvalidInput =>
  error instanceof Error && "_tag" in error && error._tag === "InvalidInput"
