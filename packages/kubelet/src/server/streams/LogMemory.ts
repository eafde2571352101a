import type { TimersShape } from "@rollcall/time"

/** What all logs that are kept take together. */
const MAX_TOGETHER = 64 * 1024 * 1024
/** The logs without a reader that are kept for the next one. */
const MAX_IDLE = 64

/** A log that takes memory. */
export interface MemoryHolder {
  readonly heldBytes: number
  /** Drops the older half of what it holds. */
  readonly dropHalf: () => void
  /** Drops everything: it has no reader. */
  readonly release: () => void
}

/** The memory of the logs of one process. When they take too much together, the largest loses its older half. */
export class LogMemory {
  private readonly most: number
  private readonly holders = new Set<MemoryHolder>()
  private readonly idle = new Set<MemoryHolder>()
  private total = 0

  constructor(most = MAX_TOGETHER) {
    this.most = most
  }

  get heldBytes(): number {
    return this.total
  }

  join(holder: MemoryHolder): void {
    this.holders.add(holder)
  }

  leave(holder: MemoryHolder): void {
    this.idle.delete(holder)
    if (this.holders.delete(holder)) this.total -= holder.heldBytes
  }

  /** Counts what a log of those that have joined holds more, or less. */
  add(bytes: number): void {
    this.total += bytes
    while (this.total > this.most) {
      // Half of the largest is at least half of the mean, so that this is not looked for at every line.
      const largest = [...this.holders].reduce((most, one) => (one.heldBytes > most.heldBytes ? one : most))
      largest.dropHalf()
    }
  }

  /** Says whether a log has no reader. When too many have none, the one without for longest is released. */
  setIdle(holder: MemoryHolder, isIdle: boolean): void {
    this.idle.delete(holder)
    if (!isIdle) return
    this.idle.add(holder)
    const [oldest] = this.idle
    if (this.idle.size > MAX_IDLE) oldest?.release()
  }
}

/** By the timers of the process, which all its kubelets share. */
const memories = new WeakMap<TimersShape, LogMemory>()

export const logMemoryOf = (timers: TimersShape): LogMemory => {
  const known = memories.get(timers) ?? new LogMemory()
  memories.set(timers, known)
  return known
}
