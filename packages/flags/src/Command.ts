import { nearest } from "@rollcall/api/text"
import * as Result from "effect/Result"
import type { Flags, FlagValues } from "./Flag.ts"
import type { FlagProblem } from "./FlagProblem.ts"
import { quoted } from "./goNumbers.ts"
import { type Grammar, type Parsed, readFlags } from "./readFlags.ts"

/** The arguments of a command that are not flags. */
export interface Operands {
  /** Their form in the usage line: `FILE...`, `add|remove [NAME...]`. */
  readonly usage: string
  readonly help?: string
  /** The smallest and the largest number of operands; by default any number is accepted. */
  readonly min?: number
  readonly max?: number
  /** The words that completion offers; file names if absent. */
  readonly choices?: ReadonlyArray<string>
}

/** The command line of a command, with its help. */
export interface Command<T extends Flags = Flags> extends Grammar<T> {
  /** The description of the command, in sentences. */
  readonly about: string
  readonly operands?: Operands
  /** Example command lines, without the name of the program. */
  readonly examples?: ReadonlyArray<string>
  /** Names of flags that many commands share. Help lists them last. */
  readonly global?: ReadonlyArray<string>
}

/**
 * A node in a tree of commands: a command, or a group of commands. `Run` is the type of the function that runs a
 * command.
 */
export interface CommandNode<Run> {
  /** The word on the command line. */
  readonly name: string
  /** One line for the list of commands in the group's help. */
  readonly summary: string
  /** The heading of its part of that list. */
  readonly heading?: string
  readonly hidden?: true
  /** The commands of a group; absent if the node is a command. */
  readonly commands?: ReadonlyArray<CommandNode<Run>>
  /** The flags of the group itself, such as `--version`. */
  readonly flags?: Flags
  /** Loads the command's table; absent for groups. */
  readonly load?: () => Promise<Command>
  readonly run?: Run
}

/** A node of the tree that a command line names. */
export interface FoundCommand<Run> {
  readonly node: CommandNode<Run>
  /** The words that lead to the node: `rollcall plan drain`. */
  readonly typed: string
  /** The words after them. */
  readonly rest: ReadonlyArray<string>
}

/** Follows the words of a command line as far as they are names of commands. Upstream: cobra's Find. */
export const findCommand = <Run>(root: CommandNode<Run>, args: ReadonlyArray<string>): FoundCommand<Run> => {
  let node = root
  let typed = root.name
  let at = 0
  for (; at < args.length; at++) {
    const next = node.commands?.find(({ name }) => name === args[at])
    if (next === undefined) break
    node = next
    typed += ` ${next.name}`
  }
  return { node, typed, rest: args.slice(at) }
}

/** Returns the problem of a word that is not a command of a group. */
export const unknownCommand = <Run>({ node, typed }: FoundCommand<Run>, word: string): FlagProblem => {
  const names = (node.commands ?? []).flatMap(({ hidden, name }) => (hidden ? [] : [name]))
  const suggestion = nearest(word, names)
  return {
    message: `unknown command ${quoted(word)} for ${quoted(typed)}`,
    found: word,
    ...(suggestion === undefined ? {} : { nearest: suggestion })
  }
}

/**
 * Returns a problem if a command line has too few operands or too many. `operands` is undefined for a command that
 * takes none. Upstream: cobra's MinimumNArgs and MaximumNArgs, and kube-apiserver.
 */
export const operandProblem = (
  operands: Operands | undefined,
  typed: string,
  given: ReadonlyArray<string>
): FlagProblem | undefined => {
  if (operands === undefined) {
    if (given.length === 0) return undefined
    return { message: `${typed} does not take any arguments, got ${JSON.stringify(given.slice(0, 1))}` }
  }
  const { min = 0, max = Number.POSITIVE_INFINITY, usage } = operands
  if (given.length < min) {
    return { message: `requires at least ${min} arg(s), only received ${given.length}`, expected: usage }
  }
  if (given.length > max) {
    return { message: `accepts at most ${max} arg(s), received ${given.length}`, expected: usage }
  }
  return undefined
}

/**
 * Reads the command line of a command, and checks its required flags and the number of its operands. With `--help`,
 * nothing is checked.
 */
export const readCommand = <T extends Flags>(
  command: Command<T>,
  typed: string,
  args: ReadonlyArray<string>
): Result.Result<Parsed<FlagValues<T>>, FlagProblem> => {
  const read = readFlags(command, args)
  if (Result.isFailure(read) || read.success.help) return read
  const { given, operands } = read.success
  const problem = operandProblem(command.operands, typed, operands)
  if (problem !== undefined) return Result.fail(problem)
  const missing = Object.entries(command.flags).find(([name, flag]) => flag.required === true && !given.has(name))
  if (missing === undefined) return read
  const [flag, { expected }] = missing
  return Result.fail({
    message: `required flag(s) ${quoted(flag)} not set`,
    flag,
    ...(expected === undefined ? {} : { expected })
  })
}
