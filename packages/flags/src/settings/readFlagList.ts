import { InvalidInput, invalid, type Place } from "@rollcall/input"
import * as Result from "effect/Result"
import { operandProblem } from "../Command.ts"
import type { Flags, FlagValues } from "../Flag.ts"
import { type FlagProblem, formatFlagProblem } from "../FlagProblem.ts"
import { ineffectiveFlag, readFlags } from "../readFlags.ts"

/** The flags of a component that a file lists. */
export interface FlagList<Values> {
  /** The values of the flags that were given. */
  readonly values: Partial<Values>
  /** The flags that were given, each with its path in the file: `spec.flags.kubelet[2]`. */
  readonly paths: ReadonlyMap<string, string>
  readonly warnings: ReadonlyArray<string>
}

const invalidInputOf = ({ file, path }: Place, problem: FlagProblem): InvalidInput => {
  const { at, expected, found, nearest } = problem
  return new InvalidInput({
    problems: [
      {
        file,
        path: at === undefined ? path : `${path}[${at}]`,
        message: formatFlagProblem(problem),
        ...(found === undefined ? {} : { found }),
        ...(expected === undefined ? {} : { expected }),
        ...(nearest === undefined ? {} : { nearest })
      }
    ]
  })
}

/**
 * Reads the flags of a component that stand in a file as a list: each item is one word of a command line, so `[--v=2]`
 * and `[--v, "2"]` are the same. Rules and error messages are those of `readFlags`. Flags unlike any of the component's
 * are named in a warning, because a list may serve components with flags that are not emulated.
 */
export const readFlagList = <T extends Flags>(
  component: string,
  flags: T,
  place: Place,
  words: ReadonlyArray<string>
): Result.Result<FlagList<FlagValues<T>>, InvalidInput> => {
  const { file, path } = place
  const read = readFlags({ flags, underscores: true, ignoresUnknown: true }, words)
  if (Result.isFailure(read)) return Result.fail(invalidInputOf(place, read.failure))
  const { firstOperandAt, help, ineffective, operands, positions, values } = read.success
  const operandsProblem = operandProblem(undefined, component, operands)
  if (operandsProblem !== undefined) {
    return Result.fail(
      invalidInputOf(place, { ...operandsProblem, ...(firstOperandAt === undefined ? {} : { at: firstOperandAt }) })
    )
  }
  if (help) return Result.fail(invalid(file, path, "--help is only for the command line"))
  return Result.succeed({
    values: Object.fromEntries([...positions.keys()].map((name) => [name, values[name]])) as Partial<FlagValues<T>>,
    paths: new Map([...positions].map(([name, at]) => [name, `${path}[${at}]`])),
    warnings: [...ineffective].map(([name, at]) => `${file}: ${path}[${at}]: ${ineffectiveFlag(name)}`)
  })
}
