import type { ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CommandError, failure, serverErrorText } from "./CommandError.ts"
import { commands } from "./commands/all.ts"
import { parseFlags } from "./flags.ts"
import type { Host } from "./Host.ts"
import { asksForHelp, kubectlHelp } from "./help/help.ts"

/** The supported verbs. */
export const kubectlVerbs: ReadonlyArray<string> = Object.keys(commands)

const tell = (host: Host, error: CommandError | ClusterError): number => {
  const text = error._tag === "CommandError" ? error.text : serverErrorText(error, host.server)
  host.stderr(text.endsWith("\n") ? text : `${text}\n`)
  return 1
}

/**
 * Runs a command line like kubectl v1.32, starting with its verb: `["get", "nodes", "-o", "wide"]`. It prints through
 * the host and returns the exit code. It never fails.
 */
export const kubectl = (host: Host, argv: ReadonlyArray<string>): Effect.Effect<number> => {
  const [verb = "", ...rest] = argv
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined
  if (command === undefined)
    return Effect.sync(() => tell(host, failure(`unknown command ${JSON.stringify(verb)} for "kubectl"`)))
  if (asksForHelp(rest)) {
    return Effect.sync(() => {
      host.stdout(kubectlHelp(verb) ?? "")
      return 0
    })
  }
  const args = parseFlags(verb, command.flags, rest)
  if (Result.isFailure(args)) return Effect.sync(() => tell(host, args.failure))
  return command.run(host, args.success).pipe(
    Effect.as(0),
    Effect.catch((error) => Effect.sync(() => tell(host, error)))
  )
}
