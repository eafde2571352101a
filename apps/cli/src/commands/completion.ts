import { nearest } from "@rollcall/api/text"
import { completionScript, shells } from "@rollcall/flags"
import * as Console from "effect/Console"
import { refuse } from "./command.ts"

/** Prints the completion script of a shell. */
export const printScript = (name: string) => {
  const shell = shells.find((known) => known === name)
  if (shell !== undefined) return Console.log(completionScript(shell, "rollcall").trimEnd())
  const near = nearest(name, shells)
  const message = `unsupported shell type ${JSON.stringify(name)}`
  return refuse("rollcall completion", {
    message,
    found: name,
    ...(near === undefined ? { expected: `one of ${shells.join(", ")}` } : { nearest: near })
  })
}
