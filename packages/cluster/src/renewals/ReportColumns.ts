import type { RngState } from "@rollcall/time"
import { HeartbeatColumns, type HeartbeatOwner, type HeartbeatStay } from "./HeartbeatColumns.ts"

/** What posts the unchanged status of a Node. */
export interface ReportOwner extends HeartbeatOwner {
  /** The indexes of the conditions whose lastHeartbeatTime a report sets. */
  readonly conditions: ReadonlyArray<number>
  /** The state of the generator of the jitter. */
  readonly seed: RngState
  /** Returns when the report after one at `timeMs` comes, and the state of the generator then. */
  readonly next: (timeMs: number, seed: RngState) => { readonly atMs: number; readonly seed: RngState }
}

/** The reports of unchanged statuses of Nodes. */
export class ReportColumns extends HeartbeatColumns {
  /** Takes over the reports of a Node whose status was posted now, at `revision`. Returns undefined if it does not. */
  enter(owner: ReportOwner, nowMs: number, revision: number): HeartbeatStay | undefined {
    return this.enterRow(owner, owner.seed, nowMs, revision)
  }

  override ownerOf(id: number): ReportOwner {
    return super.ownerOf(id) as ReportOwner
  }

  protected setNext(id: number, nowMs: number): void {
    const { atMs, seed } = this.ownerOf(id).next(nowMs, this.seed[id] as number)
    this.nextMs[id] = atMs
    this.nextSeed[id] = seed
  }
}
