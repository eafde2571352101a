import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

/** Fails if one of the flags, which have no meaning for the verb, was given. */
export const refuseMeaninglessFlags = (verb: string, given: ReadonlySet<string>, flags: ReadonlyArray<string>) => {
  const found = flags.find((name) => given.has(name))
  return found === undefined
    ? Effect.void
    : Effect.fail(invalid("command line", `--${found}`, `has no meaning for ${verb}`))
}
