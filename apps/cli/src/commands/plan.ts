import * as Command from "effect/cli/Command"
import { planDrainCommand } from "./plan/drain.ts"
import { planEvictionsCommand } from "./plan/evictions.ts"
import { planShutdownCommand } from "./plan/shutdown.ts"
import { planSwapCommand } from "./plan/swap.ts"

/** What will happen, before it does; nothing is changed. */
export const planCommand = Command.make("plan").pipe(
  Command.withDescription("Say what will happen to the pods of a node, before it does. Changes nothing."),
  Command.withSubcommands([planDrainCommand, planEvictionsCommand, planShutdownCommand, planSwapCommand])
)
