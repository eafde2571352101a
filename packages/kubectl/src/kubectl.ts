import type { ClusterError } from "@rollcall/cluster"
import { commandHelp, readCommand } from "@rollcall/flags"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Arguments, makeArguments } from "./Arguments.ts"
import { CommandError, commandError, serverErrorText } from "./CommandError.ts"
import { verbRunners } from "./commands/all.ts"
import type { Host } from "./Host.ts"
import { type Verb, verbs } from "./verbs.ts"

/** The supported verbs. */
export const kubectlVerbs: ReadonlyArray<string> = Object.keys(verbs)

/** A command line that has been read. */
export interface VerbLine {
  readonly name: string
  readonly verb: Verb
  readonly args: Arguments
  /** Whether the help of the verb is requested, and nothing else. */
  readonly help: boolean
}

/** Reads a command line that starts with its verb: `["get", "nodes", "-o", "wide"]`. Fails with kubectl's message. */
export const readVerb = (argv: ReadonlyArray<string>): Result.Result<VerbLine, CommandError> => {
  const [name = "", ...rest] = argv
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined) return Result.fail(commandError(`unknown command ${JSON.stringify(name)} for "kubectl"`))
  const read = readCommand(verb, `kubectl ${name}`, rest)
  if (Result.isSuccess(read)) {
    return Result.succeed({ name, verb, args: makeArguments(read.success), help: read.success.help })
  }
  const text = `error: ${read.failure.message}\nSee 'kubectl ${name} --help' for usage.`
  return Result.fail(new CommandError({ text }))
}

const printError = (host: Pick<Host, "server" | "stderr">, error: CommandError | ClusterError): number => {
  const text = error._tag === "CommandError" ? error.text : serverErrorText(error, host.server)
  host.stderr(text.endsWith("\n") ? text : `${text}\n`)
  return 1
}

/** Runs a command line that has been read. It prints through the host and returns the exit code. It never fails. */
export const runVerb = (host: Host, { args, help, name, verb }: VerbLine): Effect.Effect<number> => {
  const run = verbRunners[name]
  if (help || run === undefined) {
    return Effect.sync(() => {
      host.stdout(commandHelp(verb, `kubectl ${name}`))
      return 0
    })
  }
  return run(host, args).pipe(
    Effect.as(0),
    Effect.catch((error) => Effect.sync(() => printError(host, error)))
  )
}

/**
 * Runs a command line like kubectl v1.32, starting with its verb: `["get", "nodes", "-o", "wide"]`. It prints through
 * the host and returns the exit code. It never fails. Flags that select the cluster (`--kubeconfig`, `--context`) do
 * not change the host.
 */
export const kubectl = (host: Host, argv: ReadonlyArray<string>): Effect.Effect<number> => {
  const line = readVerb(argv)
  return Result.isFailure(line) ? Effect.sync(() => printError(host, line.failure)) : runVerb(host, line.success)
}
