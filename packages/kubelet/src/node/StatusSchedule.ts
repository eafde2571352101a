import type { Timer } from "@rollcall/time"
import type { Env } from "../internal/Env.ts"
import { fastCheckAfter } from "./FastStatus.ts"
import { gridFrom, type StatusGrid } from "./StatusGrid.ts"

/**
 * When the status of the Node is updated: on the grid, and until the node is ready also by fast checks. Updates that
 * would have nothing to do are not scheduled (see StatusGrid for how and why that changes nothing).
 */
export class StatusSchedule {
  private readonly env: Env
  private readonly look: () => void
  private grid: StatusGrid = { atMs: 0, seed: 0 }
  private timer: Timer | undefined
  /** The current update is one of the grid; the next one is counted from its end. */
  private onGrid = false
  private startedAtMs = 0

  constructor(env: Env, look: () => void) {
    this.env = env
    this.look = look
  }

  /** The kubelet's process starts, and updates at once. */
  start(): void {
    const { chance, timers } = this.env
    this.startedAtMs = timers.now()
    this.grid = { atMs: this.startedAtMs, seed: chance.state }
    chance.next()
    this.onGrid = true
  }

  /** The update that starts is not one of the grid. */
  leaveGrid(): void {
    this.onGrid = false
  }

  /** The update has ended. A fixed grid does not move, however long the update took. */
  settle(): void {
    if (this.onGrid && this.env.model.statusJitter > 0) {
      this.grid = { atMs: this.env.timers.now(), seed: this.grid.seed }
    }
    this.onGrid = false
  }

  /**
   * Sets the timer to the first update from `dueMs` on, or to the fast check that finds a node ready which is so from
   * `readyMs` on.
   */
  plan(dueMs: number, readyMs: number): void {
    this.cancel()
    const { config, model, timers } = this.env
    const cadence = { frequencyMs: config.nodeStatusUpdateFrequencyMs, jitter: model.statusJitter }
    const next = gridFrom(this.grid, cadence, dueMs)
    const fastMs = fastCheckAfter(this.startedAtMs, readyMs)
    if (fastMs < next.atMs) {
      this.timer = timers.at(fastMs, this.look)
    } else if (next.atMs < Number.POSITIVE_INFINITY) {
      this.timer = timers.at(next.atMs, () => {
        this.grid = next
        this.onGrid = true
        this.look()
      })
    }
  }

  /** The update failed: retries after the usual period. */
  retry(): void {
    const { config, timers } = this.env
    this.cancel()
    this.onGrid = false
    this.timer = timers.after(config.nodeStatusUpdateFrequencyMs, this.look)
  }

  cancel(): void {
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
  }
}
