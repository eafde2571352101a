import type { TimersShape } from "@rollcall/time"

/** What all clients that have not read their logs yet hold together, and what each of them may hold all the same. */
const MAX_TOGETHER = 64 * 1024 * 1024
const MIN_KEPT = 256 * 1024

/** The memory of the logs that clients have not read yet, in one process: when there are many, each keeps less of its past. */
export class LogMemory {
  private holders = 0

  /** The bytes that the log of one client may take. */
  get share(): number {
    return Math.max(MIN_KEPT, Math.floor(MAX_TOGETHER / Math.max(1, this.holders)))
  }

  /** Counts a client until the returned function is called. */
  hold(): () => void {
    this.holders++
    let isHeld = true
    return () => {
      if (isHeld) this.holders--
      isHeld = false
    }
  }
}

/** By the timers of the process, which all its kubelets share. */
const memories = new WeakMap<TimersShape, LogMemory>()

export const logMemoryOf = (timers: TimersShape): LogMemory => {
  const known = memories.get(timers) ?? new LogMemory()
  memories.set(timers, known)
  return known
}
