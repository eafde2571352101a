import {
  COMPLETE,
  commandHelp,
  complete,
  completionLines,
  type FoundCommand,
  findCommand,
  groupHelp,
  readFlags,
  unknownCommand
} from "@rollcall/flags"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { brokenPipeCode } from "./BrokenPipe.ts"
import { CommandEnded } from "./CommandEnded.ts"
import { type Run, refuse } from "./commands/command.ts"
import { printScript } from "./commands/completion.ts"
import { root } from "./tree.ts"
import { version } from "./version.ts"

/**
 * The exit codes of `rollcall`, a public interface: 0 if all expectations held, 1 if an expectation failed or a component ended
 * unexpectedly, 2 for wrong input, 70 for a bug. A run that SIGINT or SIGPIPE stopped has the code that shells give to it.
 */
export const exitCodes = {
  held: 0,
  failed: 1,
  invalid: 2,
  bug: 70,
  interrupted: 130,
  brokenPipe: brokenPipeCode
} as const

/** Prints the help of a command or a group. */
const printHelp = Effect.fnUntraced(function* ({ node, typed }: FoundCommand<Run>) {
  const help =
    node.load === undefined ? groupHelp({ node, typed }) : commandHelp(yield* Effect.promise(node.load), typed)
  yield* Console.log(help.trimEnd())
})

/** Runs `rollcall help`. `words` names the command: `plan drain` prints the help of `rollcall plan drain`. */
const runHelp = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const found = findCommand(root, words)
  const [word] = found.rest
  if (word !== undefined && found.node.commands !== undefined && !word.startsWith("-")) {
    return yield* refuse(found.typed, unknownCommand(found, word))
  }
  yield* printHelp(found)
})

/** Runs a group of commands without one of its commands: applies the flags of the group, such as --version, or prints its help and fails. */
const runGroup = Effect.fnUntraced(function* (found: FoundCommand<Run>) {
  const { node, rest, typed } = found
  const [word] = rest
  if (word !== undefined && !word.startsWith("-")) return yield* refuse(typed, unknownCommand(found, word))
  const read = readFlags({ flags: node.flags ?? {} }, rest)
  if (Result.isFailure(read)) return yield* refuse(typed, read.failure)
  const { help, operands, values } = read.success
  if (help) return yield* printHelp(found)
  if (values.version === true) return yield* Console.log(`rollcall v${version}`)
  if (typeof values.completions === "string") return yield* printScript(values.completions)
  if (operands[0] !== undefined) return yield* refuse(typed, unknownCommand(found, operands[0]))
  yield* Console.error(groupHelp(found).trimEnd())
  return yield* new CommandEnded({ code: exitCodes.invalid })
})

const runCommand = Effect.fnUntraced(function* (found: FoundCommand<Run>) {
  const { node, rest, typed } = found
  if (node.run === undefined || node.load === undefined) return yield* runGroup(found)
  const read = readFlags(yield* Effect.promise(node.load), rest)
  if (Result.isSuccess(read) && read.success.help) return yield* printHelp(found)
  yield* node.run(typed, rest)
})

/** Prints the completion candidates of a command line, one on each line, for a completion script. */
const printCandidates = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const lines = completionLines(yield* Effect.promise(() => complete(root, words)))
  if (lines.length > 0) yield* Console.log(lines.join("\n"))
})

const dispatch = (args: ReadonlyArray<string>): ReturnType<Run> => {
  const [first, ...rest] = args
  if (first === COMPLETE) return printCandidates(rest)
  if (first === "help") return runHelp(rest)
  return runCommand(findCommand(root, args))
}

/** Returns whether an error is about the user's input: a file or the command line. */
const isInputError = Predicate.isTagged("InvalidInput")

/** Returns whether an error needs no message: the command has already printed what it means, or no one reads the output. */
const needsNoMessage = (error: unknown): boolean =>
  ["CommandEnded", "ExpectationsFailed", "BrokenPipe"].some((tag) => Predicate.isTagged(error, tag))

/** Runs a command line; prints errors on stderr before it fails. */
export const rollcall = (args: ReadonlyArray<string>) =>
  dispatch(args).pipe(
    Effect.tapError((error) => (needsNoMessage(error) ? Effect.void : Console.error(`rollcall: ${error.message}`))),
    Effect.tapDefect((defect) =>
      Console.error(
        `rollcall: this is a bug. Please report the command, its input and what follows.\nrollcall ${version} ${args.join(" ")}\n${Cause.pretty(Cause.die(defect))}`
      )
    )
  )

const isCommandEnded = Schema.is(CommandEnded)

/**
 * Returns the exit code of a finished command line: one of `exitCodes`, or that of a kubectl command. A signal stops a
 * server as it is meant to: `apiserver` ends with 0 then, as kube-apiserver does.
 */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>, command = ""): number => {
  if (Exit.isSuccess(exit)) return exitCodes.held
  if (Cause.hasInterruptsOnly(exit.cause)) return command === "apiserver" ? exitCodes.held : exitCodes.interrupted
  const error = Cause.squash(exit.cause)
  if (isCommandEnded(error)) return error.code
  if (isInputError(error)) return exitCodes.invalid
  if (Predicate.isTagged(error, "BrokenPipe")) return exitCodes.brokenPipe
  return Cause.hasDies(exit.cause) ? exitCodes.bug : exitCodes.failed
}
