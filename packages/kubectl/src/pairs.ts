import * as Result from "effect/Result"
import { type CommandError, commandError } from "./CommandError.ts"

/** The arguments before the first change, and the changes. */
export interface ResourcesAndChanges {
  readonly resources: ReadonlyArray<string>
  readonly changes: ReadonlyArray<string>
}

/** Splits `node n1` from `a=b c-`. Upstream: kubectl/pkg/cmd/util/helpers.go, GetResourcesAndPairs. */
export const splitResourcesAndChanges = (
  positional: ReadonlyArray<string>,
  what: string,
  separators = "="
): Result.Result<ResourcesAndChanges, CommandError> => {
  const isChange = (argument: string) =>
    argument.endsWith("-") || [...separators].some((separator) => argument.includes(separator))
  const first = positional.findIndex(isChange)
  if (first < 0) return Result.succeed({ resources: positional, changes: [] })
  const changes = positional.slice(first)
  const stray = changes.find((argument) => !isChange(argument))
  if (stray !== undefined)
    return Result.fail(commandError(`all resources must be specified before ${what} changes: ${stray}`))
  return Result.succeed({ resources: positional.slice(0, first), changes })
}

/** The keys to set and the keys to remove. */
export interface MapChanges {
  readonly set: Readonly<Record<string, string>>
  readonly remove: ReadonlyArray<string>
}

/** Parses `a=b` and `c-`. */
export const readChanges = (changes: ReadonlyArray<string>, what: string): Result.Result<MapChanges, CommandError> => {
  const set: Record<string, string> = {}
  const remove: Array<string> = []
  for (const change of changes) {
    const at = change.indexOf("=")
    if (at > 0) set[change.slice(0, at)] = change.slice(at + 1)
    else if (change.endsWith("-") && change.length > 1) remove.push(change.slice(0, -1))
    else return Result.fail(commandError(`invalid ${what} format: ${change}`))
  }
  if (remove.some((key) => Object.hasOwn(set, key))) {
    return Result.fail(commandError(`can not both modify and remove a ${what} in the same command`))
  }
  return Result.succeed({ set, remove })
}
