import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { abouts, kubectlAbouts } from "./abouts.ts"
import { compareCommand } from "./commands/compare.ts"
import { planCommand } from "./commands/plan.ts"
import { reportCommand } from "./commands/report.ts"
import { simulateCommand } from "./commands/simulate.ts"
import { snapshotCommand } from "./commands/snapshot.ts"
import { layerPresenter } from "./presenter.ts"
import { version } from "./version.ts"

/** The command line makes no sense, and that has been said. */
export class UsageShown extends Schema.TaggedError<UsageShown>()("UsageShown", {}) {}

/** For the list of commands; each reads its own command line, with Kubernetes' flags. */
const liveCommands = Object.entries({ ...abouts, ...kubectlAbouts }).map(([name, about]) =>
  Command.make(name).pipe(Command.withDescription(about))
)

const command = Command.make("rollcall").pipe(
  Command.withDescription("Kubernetes nodes, as software you can run, rehearse and embed."),
  Command.withSubcommands([
    simulateCommand,
    reportCommand,
    planCommand,
    compareCommand,
    snapshotCommand,
    ...liveCommands
  ])
)

/** Runs what is not left to a component: rehearsals, plans, comparisons, and the help on everything. */
export const runCommandLine = (args: ReadonlyArray<string>) =>
  Command.runWith(command, { version })(args).pipe(
    Effect.mapError((error) => (CliError.isCliError(error) ? new UsageShown() : error)),
    Effect.provide(layerPresenter)
  )
