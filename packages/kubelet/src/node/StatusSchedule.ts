import type { Node } from "@rollcall/api"
import type { HeartbeatStay } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import { fastCheckAfter } from "./FastStatus.ts"
import { type AlikeReports, SHORTEST_PERIOD_MS } from "./Heartbeats.ts"
import { type Cadence, moveGrid, type StatusGrid } from "./StatusGrid.ts"

/** What hands its reports over to columns. */
export interface ReportSource {
  /** Receives the Node of the last report, when it is made. */
  reportMade(node: Node): void
  /** Takes the reports back; the last one was at this time. */
  reportsLeft(lastReportMs: number): void
}

/**
 * Plans the updates of the Node's status: on the grid of StatusGrid, and until the node is ready also by fast checks.
 * Updates that would have nothing to do are not planned; StatusGrid explains why that makes no difference.
 */
export class StatusSchedule {
  private readonly env: Env
  private readonly update: () => void
  private grid: StatusGrid = { atMs: 0, seed: 0 }
  private timer: Timer | undefined
  /** The stay of the reports in columns; undefined while this schedule plans each itself. */
  private stay: HeartbeatStay | undefined
  /** Whether the current update is one of the grid: the next one is then counted from its end. */
  private onGrid = false
  private startedAtMs = 0

  constructor(env: Env, update: () => void) {
    this.env = env
    this.update = update
  }

  /** Starts a grid at the start of the kubelet's process, whose first update is now. */
  start(): void {
    const { random, timers } = this.env
    this.startedAtMs = timers.now()
    this.grid = { atMs: this.startedAtMs, seed: random.state }
    // The grid continues from this state on its own, so the shared generator must move past it.
    random.next()
    this.onGrid = true
  }

  /** Says that the update that starts is not one of the grid. */
  leaveGrid(): void {
    this.onGrid = false
  }

  /** Handles the end of an update. A grid without jitter does not move, however long the update took. */
  updateEnded(): void {
    if (this.onGrid && this.env.model.statusJitter > 0) {
      this.grid = { atMs: this.env.timers.now(), seed: this.grid.seed }
    }
    this.onGrid = false
  }

  /**
   * Sets the timer to the first update of the grid from `dueMs` on, or to the first fast check from `readyMs` on if
   * that is earlier. Infinity means that nothing is due.
   */
  plan(dueMs: number, readyMs: number): void {
    this.cancel()
    const { timers } = this.env
    const next = moveGrid(this.grid, this.cadence, dueMs)
    const fastMs = fastCheckAfter(this.startedAtMs, readyMs)
    if (fastMs < next.atMs) {
      this.timer = timers.at(fastMs, this.update)
    } else if (next.atMs < Number.POSITIVE_INFINITY) {
      this.timer = timers.at(next.atMs, () => this.runUpdate(next))
    }
  }

  /** The grid at the update that runs; undefined if that is not one of a grid with jitter. */
  get runningGrid(): StatusGrid | undefined {
    return this.onGrid && this.env.model.statusJitter > 0 ? this.grid : undefined
  }

  /** Moves the grid to an update of it that runs, or to the end of the last one. */
  continueAt(grid: StatusGrid, isRunning: boolean): void {
    this.grid = grid
    this.onGrid = isRunning
  }

  get cadence(): Cadence {
    const { config, model } = this.env
    return { frequencyMs: config.nodeStatusUpdateFrequencyMs, jitter: model.statusJitter }
  }

  private runUpdate(grid: StatusGrid): void {
    this.grid = grid
    this.onGrid = true
    this.update()
  }

  /**
   * Hands the reports from `dueMs` on over to columns, instead of planning an update. Returns false if the columns do not
   * take them.
   */
  enterColumns({ indexes, lastReportMs, node }: AlikeReports, dueMs: number, source: ReportSource): boolean {
    const { cadence } = this
    const { config, connection, name } = this.env
    if (connection.heartbeats === undefined) return false
    const periodMs = config.nodeStatusReportFrequencyMs
    const first = moveGrid(this.grid, cadence, dueMs)
    if (first.atMs < lastReportMs + SHORTEST_PERIOD_MS) return false
    this.cancel()
    let next = first
    this.stay = connection.heartbeats.enterReports({
      name,
      object: node,
      conditions: indexes,
      made: (made) => source.reportMade(made as Node),
      lastMs: lastReportMs,
      seed: this.grid.seed,
      first,
      next: (timeMs, seed) => moveGrid({ atMs: timeMs, seed }, cadence, timeMs + periodMs),
      left: ({ nextMs, nextSeed, seed, timeMs }) => {
        if (timeMs === lastReportMs) return
        this.grid = { atMs: timeMs, seed }
        next = { atMs: nextMs, seed: nextSeed }
        source.reportsLeft(timeMs)
      },
      fire: () => {
        this.stay = undefined
        this.runUpdate(next)
      }
    })
    return this.stay !== undefined
  }

  /** Takes the reports out of columns, before anything changes that one depends on. */
  leaveColumns(): void {
    this.stay?.leave()
  }

  /** Has the Node of the last report made. */
  makeNode(): void {
    this.stay?.make()
  }

  /** Plans the next update after the usual period, because the current one threw. */
  retry(): void {
    const { config, timers } = this.env
    this.cancel()
    this.onGrid = false
    this.timer = timers.after(config.nodeStatusUpdateFrequencyMs, this.update)
  }

  cancel(): void {
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
    const { stay } = this
    this.stay = undefined
    stay?.cancel()
  }
}
