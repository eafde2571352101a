import type { Plan, Simulation } from "@rollcall/simulator"
import { clock } from "@rollcall/text"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** Shows the progress of a rehearsal on stderr: a line that is rewritten on a terminal, otherwise occasional lines. */
export interface Progress {
  readonly show: (simulation: Pick<Simulation, "elapsedMs" | "steps">) => Effect.Effect<void>
  /** Clears the line on a terminal. */
  readonly done: Effect.Effect<void>
}

/** The shortest interval between two updates, in milliseconds of wall time. */
const TERMINAL_INTERVAL_MS = 200
const LINE_INTERVAL_MS = 5_000
/** Characters. */
const BAR_WIDTH = 24

const silent: Progress = { show: () => Effect.void, done: Effect.void }

/** Makes the progress of one rehearsal. With `quiet` it prints nothing. */
export const makeProgress = Effect.fnUntraced(function* (plan: Plan, quiet: boolean) {
  if (quiet) return silent
  const stdio = yield* Stdio.Stdio
  const terminal = yield* stdio.stderrIsTerminal
  const time = yield* Clock.Clock
  const started = time.currentTimeMillisUnsafe()
  let lastShown = started
  const write = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stdio.stderr({ endOnDone: false })))

  const line = (simulation: Pick<Simulation, "elapsedMs" | "steps">): string => {
    const elapsed = simulation.elapsedMs()
    const part = Math.min(1, elapsed / plan.durationMs)
    const wallMs = Math.max(1, time.currentTimeMillisUnsafe() - started)
    const full = Math.round(part * BAR_WIDTH)
    const bar = terminal ? `[${"=".repeat(full)}${" ".repeat(BAR_WIDTH - full)}] ` : ""
    const speed = Math.round(elapsed / wallMs).toLocaleString("en-US")
    return `${bar}${plan.name}: ${clock(elapsed / 1000)} of ${clock(plan.durationMs / 1000)} (${Math.round(part * 100)} %), ${speed} times real time, ${simulation.steps().toLocaleString("en-US")} events`
  }
  const progress: Progress = {
    show: (simulation) => {
      const now = time.currentTimeMillisUnsafe()
      if (now - lastShown < (terminal ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS)) return Effect.void
      lastShown = now
      return write(terminal ? `\r${line(simulation)}\u001b[K` : `${line(simulation)}\n`)
    },
    done: terminal ? Effect.suspend(() => (lastShown === started ? Effect.void : write("\r\u001b[K"))) : Effect.void
  }
  return progress
})
