import type { Timer, TimersShape } from "@rollcall/time"

/** How long commands are carried out before others of the process have their turn. */
const MOST_MS = 5
/** That pause. */
const PAUSE_MS = 1

/**
 * The turns of all commands that are carried out in one process: together they take a short time, then requests are answered,
 * however many commands there are and whatever they do. In virtual time a turn takes none.
 */
export class RunTurns {
  private readonly timers: TimersShape
  private readonly waiting = new Set<() => void>()
  private timer: Timer | undefined
  /** How long commands have been carried out since the last pause. */
  private spentMs = 0
  private beganMs = 0
  private endedMs = Number.NEGATIVE_INFINITY

  constructor(timers: TimersShape) {
    this.timers = timers
  }

  /** Carries out a turn, if there is time for it. Returns whether there is. */
  take(turn: () => void): boolean {
    const now = this.timers.now()
    if (now - this.endedMs >= PAUSE_MS) this.spentMs = 0
    if (this.spentMs >= MOST_MS) return false
    this.beganMs = now
    turn()
    this.endedMs = this.timers.now()
    this.spentMs += this.endedMs - this.beganMs
    return true
  }

  /** Whether the present turn has taken all the time that there is. */
  get isOver(): boolean {
    return this.spentMs + this.timers.now() - this.beganMs >= MOST_MS
  }

  /** Calls `turn` when those that wait already have had their turns. */
  later(turn: () => void): void {
    this.waiting.add(turn)
    this.timer ??= this.timers.after(PAUSE_MS, () => this.serve())
  }

  cancel(turn: () => void): void {
    if (!this.waiting.delete(turn) || this.waiting.size > 0 || this.timer === undefined) return
    this.timers.cancel(this.timer)
    this.timer = undefined
  }

  private serve(): void {
    this.timer = undefined
    this.spentMs = 0
    const next = [...this.waiting]
    for (const turn of next) {
      if (this.spentMs >= MOST_MS) break
      if (this.waiting.delete(turn)) turn()
    }
    if (this.waiting.size > 0) this.timer ??= this.timers.after(PAUSE_MS, () => this.serve())
  }
}

/** By the timers of the process, which all its kubelets share. */
const turns = new WeakMap<TimersShape, RunTurns>()

export const runTurnsOf = (timers: TimersShape): RunTurns => {
  const known = turns.get(timers) ?? new RunTurns(timers)
  turns.set(timers, known)
  return known
}
