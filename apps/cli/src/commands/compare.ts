import * as Command from "effect/cli/Command"
import { releasesCommand } from "./compare/releases.ts"
import { settingsCommand } from "./compare/settings.ts"

/** What differs, and what that comes to. */
export const compareCommand = Command.make("compare").pipe(
  Command.withDescription("Put things side by side."),
  Command.withSubcommands([releasesCommand, settingsCommand])
)
