import { Retries } from "@rollcall/cluster"
import { guarded, type Timer, type TimersShape } from "@rollcall/time"

/** A pod that will be deleted at its due time. */
export interface ScheduledEviction {
  readonly namespace: string
  readonly pod: string
  readonly node: string
  readonly createdMs: number
  readonly dueMs: number
}

interface Pending {
  readonly eviction: ScheduledEviction
  readonly timer: Timer
}

const running = Symbol("running")

/**
 * Evictions by `namespace/name`: waiting for their due time, or in progress. While one is in progress its key is
 * taken, so that no other can be scheduled, and a cancel only frees the key.
 * Upstream: pkg/controller/tainteviction/timed_workers.go.
 */
export class TimedEvictions {
  private readonly work = new Map<string, Pending | typeof running>()
  private readonly retries = new Retries<string>()
  private readonly timers: TimersShape
  private readonly carryOut: (key: string, eviction: ScheduledEviction) => void

  /** `carryOut` starts a deletion; the caller reports its end with `finished`. */
  constructor(timers: TimersShape, carryOut: (key: string, eviction: ScheduledEviction) => void) {
    this.timers = timers
    this.carryOut = carryOut
  }

  /** Number of evictions, waiting or in progress. */
  get size(): number {
    return this.work.size
  }

  /** The waiting eviction of this key. */
  pending(key: string): ScheduledEviction | undefined {
    const work = this.work.get(key)
    return work === undefined || work === running ? undefined : work.eviction
  }

  /** All waiting evictions. */
  allPending(): ReadonlyArray<ScheduledEviction> {
    return [...this.work.values()].flatMap((work) => (work === running ? [] : [work.eviction]))
  }

  /** Schedules an eviction, or starts it when it is due at its creation. False: the key is taken. */
  add(key: string, eviction: ScheduledEviction): boolean {
    if (this.work.has(key)) return false
    const delayMs = eviction.dueMs - eviction.createdMs
    if (delayMs <= 0) this.begin(key, eviction)
    else this.work.set(key, { eviction, timer: this.timers.after(delayMs, () => this.begin(key, eviction)) })
    return true
  }

  /** Frees the key; returns the eviction if it was still waiting. */
  cancel(key: string): ScheduledEviction | undefined {
    const work = this.work.get(key)
    if (work === undefined) return undefined
    this.work.delete(key)
    if (work === running) return undefined
    this.timers.cancel(work.timer)
    return work.eviction
  }

  finished(key: string): void {
    this.retries.forget(key)
    if (this.work.get(key) === running) this.work.delete(key)
  }

  /** Drops everything. */
  clear(): void {
    for (const work of this.work.values()) if (work !== running) this.timers.cancel(work.timer)
    this.work.clear()
  }

  private begin(key: string, eviction: ScheduledEviction): void {
    this.work.set(key, running)
    if (!guarded(this.timers, "taint eviction", () => this.carryOut(key, eviction), { pod: key }))
      this.failed(key, eviction)
  }

  /** Something threw: the eviction waits again, for the backoff of a work queue. */
  failed(key: string, eviction: ScheduledEviction): void {
    if (this.work.get(key) !== running) return
    const delayMs = this.retries.nextMs(key, this.timers.now())
    this.work.set(key, { eviction, timer: this.timers.after(delayMs, () => this.begin(key, eviction)) })
  }
}
