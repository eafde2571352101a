import type { RngState, TimersShape } from "@rollcall/time"
import { HeartbeatColumns, type HeartbeatOwner, type HeartbeatServer, type HeartbeatStay } from "./HeartbeatColumns.ts"

/** When a report comes, and the state of the generator of the jitter then. */
export interface ReportTime {
  readonly atMs: number
  readonly seed: RngState
}

/** What posts the unchanged status of a Node. */
export interface ReportOwner extends HeartbeatOwner {
  /** The indexes of the conditions whose lastHeartbeatTime a report sets. */
  readonly conditions: ReadonlyArray<number>
  /** When the last report was, the state of the generator of the jitter then, and the next report. */
  readonly lastMs: number
  readonly seed: RngState
  readonly first: ReportTime
  /** Returns when the report after one at `timeMs` comes, and the state of the generator then. */
  readonly next: (timeMs: number, seed: RngState) => ReportTime
}

/** Longer than the period of reports usually is. */
const USUAL_MS = 600_000

/** The reports of unchanged statuses of Nodes. */
export class ReportColumns extends HeartbeatColumns {
  constructor(server: HeartbeatServer, numbered: NonNullable<TimersShape["numbered"]>) {
    super(server, numbered, USUAL_MS)
  }

  /** Takes over the reports of a Node, which has this revision. Returns undefined if it does not. */
  enter(owner: ReportOwner, revision: number): HeartbeatStay | undefined {
    const { first, lastMs, seed } = owner
    return this.enterRow(owner, seed, lastMs, revision, (id) => this.planned(id, first))
  }

  override ownerOf(id: number): ReportOwner {
    return super.ownerOf(id) as ReportOwner
  }

  protected next(id: number, nowMs: number): number {
    return this.planned(id, this.ownerOf(id).next(nowMs, this.seeds[id * 2] as number))
  }

  private planned(id: number, { atMs, seed }: ReportTime): number {
    this.seeds[id * 2 + 1] = seed
    return atMs
  }
}
