import { type Command, type Flags, type FlagValues, formatFlagProblem, type Parsed, readCommand } from "@rollcall/flags"
import { type InvalidInput, invalidCommandLine } from "@rollcall/input"
import * as Result from "effect/Result"

/** Reads a command line. Errors have the words of pflag, with the nearest flag or the expected value. */
export const readCommandLine = <T extends Flags>(
  command: Command<T>,
  typed: string,
  args: ReadonlyArray<string>
): Result.Result<Parsed<FlagValues<T>>, InvalidInput> =>
  Result.mapError(readCommand(command, typed, args), (problem) =>
    invalidCommandLine(typed, { ...problem, message: formatFlagProblem(problem) })
  )
