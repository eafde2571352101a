import type { Timer, TimersShape } from "@rollcall/time"
import type { PodBehaviour } from "./PodBehaviour.ts"

interface Planned {
  readonly timer: Timer
  readonly container: string | undefined
}

interface Counts {
  runs: number
  pulls: number
}

/** A modelled runtime's state and timers of one pod. */
export class PodPlan {
  behaviour: PodBehaviour | undefined = undefined
  /** The running containers, of a pod that is started container by container. */
  running: Set<string> | undefined = undefined
  /** When all of it will have stopped. */
  stopsAtMs: number | undefined = undefined
  /** The uid under which its usage was reported to the host. */
  usageOf: string | undefined = undefined
  private planned: ReadonlyArray<Planned> = []
  private counts: Map<string, Counts> | undefined = undefined

  /** Whether there is no state and no timer. */
  get isEmpty(): boolean {
    return (
      this.planned.length === 0 &&
      this.behaviour === undefined &&
      this.running === undefined &&
      this.stopsAtMs === undefined
    )
  }

  add(timer: Timer, container: string | undefined): void {
    this.planned = [...this.planned, { timer, container }]
  }

  done(timer: Timer): void {
    this.planned = this.planned.filter((planned) => planned.timer !== timer)
  }

  /** Cancels the timers of one container, or of all. */
  drop(timers: TimersShape, container: string | undefined): void {
    for (const planned of this.planned) {
      if (container === undefined || planned.container === container) timers.cancel(planned.timer)
    }
    this.planned = container === undefined ? [] : this.planned.filter((planned) => planned.container !== container)
  }

  up(container: string): void {
    this.running?.add(container)
    this.countsOf(container).runs++
  }

  down(container: string): void {
    this.running?.delete(container)
  }

  pulled(container: string): void {
    this.countsOf(container).pulls++
  }

  /** How often it has been started. */
  runs(container: string): number {
    return this.counts?.get(container)?.runs ?? 0
  }

  /** How often its image pull has failed. */
  pulls(container: string): number {
    return this.counts?.get(container)?.pulls ?? 0
  }

  private countsOf(container: string): Counts {
    this.counts ??= new Map()
    const known = this.counts.get(container) ?? { runs: 0, pulls: 0 }
    this.counts.set(container, known)
    return known
  }
}
