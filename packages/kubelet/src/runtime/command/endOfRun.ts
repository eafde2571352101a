import type { ContainerEnd } from "../ModelledPodRuntimeOptions.ts"
import type { RunContext } from "./RunContext.ts"
import { runProgram } from "./ShellRun.ts"
import type { Environment } from "./ShellWorld.ts"

/** The steps that are followed; a command that takes more runs until it is stopped. */
const MAX_STEPS = 1_000

/** What the words and the variables of a command say of its run. */
export interface KnownRun {
  /** How it ends by itself, if they decide that. */
  readonly end: ContainerEnd | undefined
  /** Whether the run reads or writes files, or needs variables that only its node knows. */
  readonly needsContainer: boolean
  /** Whether it is known not to end by itself: it waits for ever, for input, or repeats itself. */
  readonly runsOn: boolean
  /** Whether it comes to read its input, which is open. */
  readonly readsInput: boolean
}

export const knownRunOf = (
  argv: ReadonlyArray<string>,
  environment: Environment,
  { isInputClosed = true, keepsBraces = false }: Pick<RunContext, "isInputClosed" | "keepsBraces"> = {}
): KnownRun => {
  const clock = { elapsedMs: 0 }
  let needsContainer = false
  const context: RunContext = {
    clock,
    untilMs: 0,
    isInputClosed,
    keepsBraces,
    world: undefined,
    needWorld: () => {
      needsContainer = true
      return undefined
    }
  }
  const run = runProgram(argv, environment, context)
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { done, value } = run.next()
    if (done === true) {
      const end = value === undefined ? undefined : { afterMs: clock.elapsedMs, exitCode: value }
      return { end, needsContainer, runsOn: false, readsInput: false }
    }
    const readsInput = value.kind === "read"
    if (readsInput || (value.kind === "wait" && value.ms === Number.POSITIVE_INFINITY))
      return { end: undefined, needsContainer, runsOn: true, readsInput }
  }
  return { end: undefined, needsContainer, runsOn: true, readsInput: false }
}
