import * as Predicate from "effect/Predicate"

/** Whether an error is about what a person wrote: a flag, a file, a kubeconfig. */
export const isInvalidInput = (error: unknown): boolean => Predicate.isTagged(error, "InvalidInput")
