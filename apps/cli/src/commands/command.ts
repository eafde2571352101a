import type * as NodeServices from "@effect/platform-node/NodeServices"
import {
  type Command,
  type CommandNode,
  type Flags,
  type FlagValues,
  formatFlagProblem,
  type Parsed,
  readCommand
} from "@rollcall/flags"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Runs a command. `typed` is the command as the user typed it (`rollcall plan drain`); `args` are the words after it. */
export type Run = (typed: string, args: ReadonlyArray<string>) => Effect.Effect<void, Error, NodeServices.NodeServices>

/** Fails with a usage error that refers to the help of the command. @rollcall/input is imported only here, because it loads slowly. */
export const refuse = Effect.fnUntraced(function* (typed: string, problem: Parameters<typeof formatFlagProblem>[0]) {
  const { invalidCommandLine } = yield* Effect.promise(() => import("@rollcall/input"))
  return yield* invalidCommandLine(typed, { ...problem, message: formatFlagProblem(problem) })
})

/** Runs a command with its parsed command line. */
type Handler<T extends Flags> = (parsed: Parsed<FlagValues<T>>) => Effect.Effect<void, Error, NodeServices.NodeServices>

/** Makes a command of the tree. `load` imports its handler, and is called only when the command line is valid. */
export const command = <T extends Flags>(
  { heading, name, summary }: Pick<CommandNode<Run>, "heading" | "name" | "summary">,
  table: Command<T>,
  load: () => Promise<Handler<T>>
): CommandNode<Run> => ({
  name,
  summary,
  ...(heading === undefined ? {} : { heading }),
  load: () => Promise.resolve(table),
  run: Effect.fnUntraced(function* (typed, args) {
    const read = readCommand(table, typed, args)
    if (Result.isFailure(read)) return yield* refuse(typed, read.failure)
    const handle = yield* Effect.promise(load)
    yield* handle(read.success)
  })
})
