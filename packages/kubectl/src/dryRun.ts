import * as Effect from "effect/Effect"
import type { Arguments } from "./Arguments.ts"
import { type CommandError, commandError } from "./CommandError.ts"

export type DryRun = "none" | "client" | "server"

/**
 * Reads `--dry-run`. With `client` nothing is sent; with `server` the server processes the request without storing it.
 */
export const dryRunOf = (args: Arguments): Effect.Effect<DryRun, CommandError> => {
  const given = args.text("dry-run") ?? "none"
  if (given === "none" || given === "client" || given === "server") return Effect.succeed(given)
  return Effect.fail(
    commandError(
      given === "unchanged"
        ? `--dry-run flag without a value was specified. A value must be set: "none", "server", or "client".`
        : `Invalid dry-run value (${given}). Must be "none", "server", or "client".`
    )
  )
}

/** Returns the suffix of an output line about a write; empty if it was not a dry run. */
export const dryRunText = (dryRun: DryRun): string =>
  dryRun === "none" ? "" : dryRun === "client" ? " (dry run)" : " (server dry run)"
