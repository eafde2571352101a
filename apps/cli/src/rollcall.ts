import type { ComponentName } from "@rollcall/components"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { abouts, kubectlAbouts } from "./abouts.ts"
import { CommandEnded } from "./CommandEnded.ts"
import { ExpectationsFailed } from "./ExpectationsFailed.ts"
import { ReaderGone, readerGoneCode } from "./ReaderGone.ts"
import { version } from "./version.ts"

/**
 * Exit codes are a public interface: 0 all held, 1 an expectation failed, or a component ended otherwise than it should,
 * 2 wrong input, 70 a bug. A run that was ended from outside has the codes that shells give to SIGINT and SIGPIPE.
 */
export const exitCodes = {
  held: 0,
  failed: 1,
  invalid: 2,
  bug: 70,
  interrupted: 130,
  readerGone: readerGoneCode
} as const

const isLive = (name: string): name is ComponentName => Object.hasOwn(abouts, name)

/** `rollcall help plan drain` is what `rollcall plan drain --help` is. */
const asFlag = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "help" ? [...args.slice(1), "--help"] : args

/** Each is loaded when it is asked for: a rehearsal needs no HTTP server, nor a server the rehearsal. */
const dispatch = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const args = asFlag(given)
  const [name = "", ...rest] = args
  if (Object.hasOwn(kubectlAbouts, name)) {
    const { kubectl } = yield* Effect.promise(() => import("./live.ts"))
    return yield* kubectl(args)
  }
  if (!isLive(name)) {
    const { runCommandLine } = yield* Effect.promise(() => import("./commandLine.ts"))
    return yield* runCommandLine(args)
  }
  const { live } = yield* Effect.promise(() => import("./live.ts"))
  yield* live(name, rest)
})

const inputTags: ReadonlySet<unknown> = new Set(["InvalidInput", "UsageShown"])

/** What a person did wrong, in a file or on the command line. */
const isInput = (error: unknown): boolean => error instanceof Error && "_tag" in error && inputTags.has(error._tag)

const isUsage = (error: unknown): boolean => error instanceof Error && "_tag" in error && error._tag === "UsageShown"

/** What the program says of itself as it ends has been said. */
const isSilent = (error: unknown): boolean =>
  error instanceof ReaderGone || error instanceof ExpectationsFailed || error instanceof CommandEnded || isUsage(error)

/** The whole command line; fails only after it has said on stderr what is wrong. */
export const rollcall = (args: ReadonlyArray<string>) =>
  dispatch(args).pipe(
    Effect.tapError((error) => (isSilent(error) ? Effect.void : Console.error(`rollcall: ${error.message}`))),
    Effect.tapDefect((defect) =>
      Console.error(
        `rollcall: this is a bug. Please report the command, its input and what follows.\nrollcall ${version} ${args.join(" ")}\n${Cause.pretty(Cause.die(defect))}`
      )
    )
  )

/** The exit code that tells a shell, or a CI, how it went. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return exitCodes.held
  if (Cause.hasInterruptsOnly(exit.cause)) return exitCodes.interrupted
  const error = Cause.squash(exit.cause)
  if (error instanceof CommandEnded) return error.code
  if (isInput(error)) return exitCodes.invalid
  if (error instanceof ReaderGone) return exitCodes.readerGone
  return Cause.hasDies(exit.cause) ? exitCodes.bug : exitCodes.failed
}
