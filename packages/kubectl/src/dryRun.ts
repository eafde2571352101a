import * as Effect from "effect/Effect"
import { type CommandError, failure } from "./CommandError.ts"
import type { Arguments, Flag } from "./flags.ts"

export type DryRun = "none" | "client" | "server"

export const dryRunFlag: Flag = { name: "dry-run", type: "string", bare: "unchanged" }

/** `--dry-run`: nothing is written (client), or the server is asked what it would do. */
export const dryRunOf = (args: Arguments): Effect.Effect<DryRun, CommandError> => {
  const given = args.text("dry-run") ?? "none"
  if (given === "none" || given === "client" || given === "server") return Effect.succeed(given)
  return Effect.fail(
    failure(
      given === "unchanged"
        ? `--dry-run flag without a value was specified. A value must be set: "none", "server", or "client".`
        : `Invalid dry-run value (${given}). Must be "none", "server", or "client".`
    )
  )
}

/** What a line about a write ends in. */
export const dryRunText = (dryRun: DryRun): string =>
  dryRun === "none" ? "" : dryRun === "client" ? " (dry run)" : " (server dry run)"
