import type { ContainerEnd } from "../ModelledPodRuntimeOptions.ts"
import { runProgram } from "./ShellRun.ts"
import type { Environment } from "./ShellWorld.ts"

/** The steps that are followed; a command that takes more runs until it is stopped. */
const MAX_STEPS = 1_000

/** Returns how a command ends by itself, if its words and variables alone decide that. */
export const endOfRun = (argv: ReadonlyArray<string>, environment: Environment): ContainerEnd | undefined => {
  const clock = { elapsedMs: 0 }
  const run = runProgram(argv, environment, { clock, world: undefined, untilMs: 0 })
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { done, value } = run.next()
    if (done === true) return value === undefined ? undefined : { afterMs: clock.elapsedMs, exitCode: value }
    if (value.kind === "read" || (value.kind === "wait" && value.ms === Number.POSITIVE_INFINITY)) return undefined
  }
  return undefined
}
