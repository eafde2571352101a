import type { Container, Pod } from "@rollcall/api"
import type { ContainerEnd } from "../ModelledPodRuntimeOptions.ts"
import { argvOf, commandOf, environmentOf } from "./environment.ts"
import { ownWorld } from "./probeTimeline.ts"
import { inWorld, type RunContext } from "./RunContext.ts"
import { runProgram } from "./ShellRun.ts"
import type { Run } from "./ShellWorld.ts"

/** The steps of a command that are followed until the signal comes, and then. */
const MAX_STEPS = 100_000

/** Whether the command of a container may say what it does when it is to end. */
export const mayTrap = (container: Container | undefined): boolean =>
  container !== undefined && commandOf(container).some((word) => /\btrap\s/.test(word))

/** Follows a run until it waits beyond a time. Returns for how long, or undefined if it ends or is not known before. */
const waitsBeyond = (run: Run<number | undefined>, context: RunContext, untilMs: number): number | undefined => {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { done, value } = run.next()
    if (done === true) return undefined
    if (value.kind === "read") return 0
    if (value.kind === "wait" && context.clock.elapsedMs + value.ms > untilMs)
      return context.clock.elapsedMs + value.ms - untilMs
  }
  return undefined
}

const exitOf = (run: Run<number | undefined>): number | undefined => {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { done, value } = run.next()
    if (done === true) return value
    if (value.kind === "read" || (value.kind === "wait" && value.ms === Number.POSITIVE_INFINITY)) return undefined
  }
  return undefined
}

/**
 * Returns how a container ends after SIGTERM that its command traps: its shell first waits for the program that runs. One
 * whose trap does not exit goes on until it is killed. Undefined if the command traps nothing.
 */
export const stopByTrap = (pod: Pod, container: Container, sinceStartMs: number): ContainerEnd | undefined => {
  const environment = environmentOf(pod, container)
  const argv = argvOf(commandOf(container), environment)
  if (argv === undefined) return undefined
  const clock = { elapsedMs: 0 }
  const traps = new Map<string, () => Run<number | undefined>>()
  const context = { ...inWorld(ownWorld(pod, new Map()), clock, sinceStartMs), traps }
  const waitMs = waitsBeyond(runProgram(argv, environment, context), context, sinceStartMs)
  const handler = traps.get("TERM")
  if (waitMs === undefined || handler === undefined) return undefined
  const goesOn = { afterMs: Number.POSITIVE_INFINITY, exitCode: 0 }
  if (waitMs === Number.POSITIVE_INFINITY) return goesOn
  clock.elapsedMs = sinceStartMs + waitMs
  const exitCode = exitOf(handler())
  return exitCode !== undefined ? { afterMs: clock.elapsedMs - sinceStartMs, exitCode } : goesOn
}
