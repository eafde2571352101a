import { InvalidInput } from "@rollcall/simulator"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { simulateCommand } from "./commands/simulate.ts"
import { ReaderGone } from "./output.ts"
import { layerPresenter } from "./presenter.ts"
import { version } from "./version.ts"

/**
 * Exit codes are a public interface: 0 all held, 1 an expectation failed, 2 wrong input, 70 a bug. A run that was ended from
 * outside has the codes that shells give to SIGINT and SIGPIPE.
 */
export const exitCodes = { held: 0, failed: 1, invalid: 2, bug: 70, interrupted: 130, readerGone: 141 } as const

const command = Command.make("rollcall").pipe(
  Command.withDescription("Kubernetes nodes, as software you can run, rehearse and embed."),
  Command.withSubcommands([simulateCommand])
)

const isUsage = (error: unknown): boolean => CliError.isCliError(error)

/** The whole command line; fails only after it has said on stderr what is wrong. */
export const rollcall = (args: ReadonlyArray<string>) =>
  Command.runWith(command, { version })(args).pipe(
    Effect.provide(layerPresenter),
    Effect.tapError((error) =>
      error instanceof InvalidInput ? Console.error(`rollcall: ${error.message}`) : Effect.void
    ),
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
  if (error instanceof InvalidInput || isUsage(error)) return exitCodes.invalid
  if (error instanceof ReaderGone) return exitCodes.readerGone
  return Cause.hasDies(exit.cause) ? exitCodes.bug : exitCodes.failed
}
