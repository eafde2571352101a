import { type Command, type Flags, type FlagValues, formatFlagProblem, type Parsed, readCommand } from "@rollcall/flags"
import { type InvalidInput, invalidCommandLine } from "@rollcall/input"
import * as Result from "effect/Result"

/** A command line as values; what is wrong with it in the words of pflag, and what would be right. */
export const commandLineOf = <T extends Flags>(
  command: Command<T>,
  typed: string,
  args: ReadonlyArray<string>
): Result.Result<Parsed<FlagValues<T>>, InvalidInput> =>
  Result.mapError(readCommand(command, typed, args), (problem) =>
    invalidCommandLine(typed, { ...problem, message: formatFlagProblem(problem) })
  )
