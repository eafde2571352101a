import type { TimersShape } from "@rollcall/time"

/** The commands that go on without the client that was attached to them: at most one of each run of a container. */
export class LoneCommands {
  private readonly stops = new Map<string, () => void>()

  get count(): number {
    return this.stops.size
  }

  /** Keeps a command in place of the one before. Returns what is to be called when it is over. */
  keep(key: string, stop: () => void): () => void {
    this.end(key)
    this.stops.set(key, stop)
    return () => {
      if (this.stops.get(key) === stop) this.stops.delete(key)
    }
  }

  /** Stops the command of a run, if there is one. */
  end(key: string): void {
    const stop = this.stops.get(key)
    this.stops.delete(key)
    stop?.()
  }
}

/** By the timers of the process, which all its kubelets share. */
const commands = new WeakMap<TimersShape, LoneCommands>()

export const loneCommandsOf = (timers: TimersShape): LoneCommands => {
  const known = commands.get(timers) ?? new LoneCommands()
  commands.set(timers, known)
  return known
}
