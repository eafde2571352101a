import type { ProgramContext } from "./ProgramContext.ts"
import type { Environment, Run, RunClock, ShellWorld } from "./ShellWorld.ts"

/** What a run is in: the container, if it is known, and the time that has passed in it. */
export interface RunContext {
  readonly clock: RunClock
  /** The container; undefined if only the words of the command are known. */
  readonly world: ShellWorld | undefined
  /** Returns the container for a run that goes on otherwise without it. */
  readonly needWorld: () => ShellWorld | undefined
  /** Whether nothing can be read from the input. */
  readonly isInputClosed?: boolean
  /** Whether the shells of the container but `bash` are known to make no words of braces. */
  readonly keepsBraces?: boolean
  /** Where the command keeps what signals make it do, by their names without `SIG`; absent if none comes. */
  readonly traps?: Map<string, () => Run<number | undefined>>
  /** The time that has passed until now, if the run is followed later: a loop that repeats itself is then cut short. */
  readonly untilMs: number
}

/** Returns the context of a run in a container. */
export const inWorld = (world: ShellWorld, clock: RunClock, untilMs: number): RunContext => ({
  clock,
  world,
  needWorld: () => world,
  keepsBraces: world.keepsBraces === true,
  untilMs
})

/** Returns what a program of a run is in. */
export const contextOf = (environment: Environment, { clock, needWorld, world }: RunContext): ProgramContext => ({
  environment,
  elapsedMs: clock.elapsedMs,
  world,
  needWorld
})
