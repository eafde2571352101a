import type { Node } from "@rollcall/api"
import type { CutStay } from "@rollcall/cluster"
import type { Env } from "../internal/Env.ts"
import type { DueReport } from "./Heartbeats.ts"
import { type Cadence, moveGrid, type StatusGrid } from "./StatusGrid.ts"
import { MAX_ATTEMPTS, statusAttemptsTimedOut } from "./StatusPass.ts"

/** Where updates of a status are whose requests all time out. */
export interface CutUpdate {
  /** The grid at the update that runs; between two updates at the end of the earlier one. */
  readonly grid: StatusGrid
  /** The attempt that waits, the first one for the answer to its patch and the others for a read; undefined between two updates. */
  readonly attempt: number | undefined
  /** When the request that waits was sent, or when the last one timed out. */
  readonly sentAtMs: number
  /** Whether an update was given up. */
  readonly hasEnded: boolean
}

/**
 * Returns where the updates are at `nowMs` if all requests since the update of `first` time out: of each update a patch and
 * four reads. The next one follows on the grid, once the report is due without the delay of the first one.
 */
export const updatesTimedOut = (
  { cadence, dueMs, grid: first }: Pick<CutReports, "cadence" | "dueMs" | "grid">,
  timeoutMs: number,
  nowMs: number
): CutUpdate => {
  for (let grid = first; ; ) {
    const hasEnded = grid !== first
    const { attempt, sentAtMs } = statusAttemptsTimedOut(1, grid.atMs, timeoutMs, nowMs)
    const endMs = sentAtMs + timeoutMs
    if (attempt < MAX_ATTEMPTS || nowMs <= endMs) return { grid, attempt, sentAtMs, hasEnded }
    const ended = { atMs: endMs, seed: grid.seed }
    grid = moveGrid(ended, cadence, Math.max(endMs, dueMs))
    if (nowMs < grid.atMs) return { grid: ended, attempt: undefined, sentAtMs: endMs, hasEnded: true }
  }
}

/** Updates over a cut link, each of which is to post a report. */
export interface CutReports {
  /** The Node of all of them, which only the report changes. */
  readonly node: Node
  readonly report: DueReport
  /** The grid at the first update. */
  readonly grid: StatusGrid
  readonly cadence: Cadence
  /** From when on the report is due without a delay: one that fails takes its delay with it. */
  readonly dueMs: number
}

/**
 * The updates of a status over a cut link, from one on that has a report to post: as long as nothing changes, each of them
 * fails, and where they are follows from when the first one began.
 */
export class CutUpdates {
  private readonly env: Env
  private readonly takeBack: (reports: CutReports, at: CutUpdate, stay: CutStay) => void
  private running: { readonly reports: CutReports; readonly stay: CutStay } | undefined

  /** `takeBack` continues the updates from where they are. */
  constructor(env: Env, takeBack: (reports: CutReports, at: CutUpdate, stay: CutStay) => void) {
    this.env = env
    this.takeBack = takeBack
  }

  /** Leaves the updates to be computed, from one that begins now. Returns false if someone sees how they fail, or they may not. */
  enter(reports: CutReports): boolean {
    const { connection, showsFailures } = this.env
    const stay = showsFailures ? undefined : connection.heartbeats?.enterCut?.(() => this.leave())
    this.running = stay && { reports, stay }
    return stay !== undefined
  }

  /** Takes the updates back, before anything changes that one depends on but the inputs of the status. */
  leave(): void {
    if (this.running === undefined) return
    const { reports, stay } = this.running
    this.end()
    this.takeBack(reports, updatesTimedOut(reports, stay.timeoutMs, this.env.timers.now()), stay)
  }

  /** Ends the updates. */
  end(): void {
    this.running?.stay.end()
    this.running = undefined
  }
}
