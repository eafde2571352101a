import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"

/** Refuses given flags that have no meaning for the verb. */
export const checkMeant = (verb: string, given: ReadonlySet<string>, meaningless: ReadonlyArray<string>) => {
  const found = meaningless.find((name) => given.has(name))
  return found === undefined
    ? Effect.void
    : Effect.fail(invalid("command line", `--${found}`, `has no meaning for ${verb}`))
}
