import { Retries } from "@rollcall/cluster"
import { guarded, type Timer, type TimersShape } from "@rollcall/time"

/** A pod that will be deleted at its due time. */
export interface ScheduledEviction {
  readonly namespace: string
  readonly pod: string
  readonly node: string
  /** When it was scheduled, and when it is due: milliseconds since the Unix epoch. */
  readonly createdMs: number
  readonly dueMs: number
}

interface WaitingEviction {
  readonly eviction: ScheduledEviction
  readonly timer: Timer
}

const inProgress = Symbol("in progress")

/**
 * Evictions by `namespace/name`: waiting for their due time, or in progress. While one is in progress its key is
 * taken, so that no other can be scheduled, and a cancel only frees the key.
 * Upstream: pkg/controller/tainteviction/timed_workers.go.
 */
export class TimedEvictions {
  private readonly entries = new Map<string, WaitingEviction | typeof inProgress>()
  private readonly retries = new Retries<string>()
  private readonly timers: TimersShape
  private readonly startDeletion: (key: string, eviction: ScheduledEviction) => void

  /** `startDeletion` must lead to a call of `finished` when the deletion has ended, or of `failed` when it threw. */
  constructor(timers: TimersShape, startDeletion: (key: string, eviction: ScheduledEviction) => void) {
    this.timers = timers
    this.startDeletion = startDeletion
  }

  /** Number of evictions, waiting or in progress. */
  get size(): number {
    return this.entries.size
  }

  /** The eviction of this key if it is waiting; undefined if there is none, or if it is in progress. */
  pending(key: string): ScheduledEviction | undefined {
    const entry = this.entries.get(key)
    return entry === undefined || entry === inProgress ? undefined : entry.eviction
  }

  /** All waiting evictions. */
  allPending(): ReadonlyArray<ScheduledEviction> {
    return [...this.entries.values()].flatMap((entry) => (entry === inProgress ? [] : [entry.eviction]))
  }

  /** Schedules an eviction, or starts it if it is due at its creation. Returns false if the key is taken. */
  add(key: string, eviction: ScheduledEviction): boolean {
    if (this.entries.has(key)) return false
    const delayMs = eviction.dueMs - eviction.createdMs
    if (delayMs <= 0) this.begin(key, eviction)
    else this.entries.set(key, { eviction, timer: this.timers.after(delayMs, () => this.begin(key, eviction)) })
    return true
  }

  /** Frees the key; returns the eviction if it was still waiting. */
  cancel(key: string): ScheduledEviction | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.entries.delete(key)
    if (entry === inProgress) return undefined
    this.timers.cancel(entry.timer)
    return entry.eviction
  }

  /** Reports that the deletion has ended, whether it succeeded or failed, and frees the key. */
  finished(key: string): void {
    this.retries.forget(key)
    if (this.entries.get(key) === inProgress) this.entries.delete(key)
  }

  /** Cancels all waiting evictions and forgets those in progress. */
  clear(): void {
    for (const entry of this.entries.values()) if (entry !== inProgress) this.timers.cancel(entry.timer)
    this.entries.clear()
  }

  private begin(key: string, eviction: ScheduledEviction): void {
    this.entries.set(key, inProgress)
    if (!guarded(this.timers, "taint eviction", () => this.startDeletion(key, eviction), { pod: key }))
      this.failed(key, eviction)
  }

  /** Reports that the deletion threw: the eviction waits again, with the backoff of a work queue. */
  failed(key: string, eviction: ScheduledEviction): void {
    if (this.entries.get(key) !== inProgress) return
    const delayMs = this.retries.nextMs(key, this.timers.now())
    this.entries.set(key, { eviction, timer: this.timers.after(delayMs, () => this.begin(key, eviction)) })
  }
}
