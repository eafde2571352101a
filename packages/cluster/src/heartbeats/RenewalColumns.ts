import { draw, grown, nextState, type RngState } from "@rollcall/time"
import { HeartbeatColumns, type HeartbeatOwner, type HeartbeatStay, INITIAL_SIZE } from "./HeartbeatColumns.ts"

/** When a Lease is renewed: `intervalMs` after the last renewal, and up to `jitterMs` later. */
export interface RenewalTimes {
  readonly intervalMs: number
  readonly jitterMs: number
  /** The state of the generator of the jitter. */
  readonly seed: RngState
}

/** The renewals of Leases. */
export class RenewalColumns extends HeartbeatColumns {
  /** The interval and the jitter of each row. */
  private periods = new Float64Array(INITIAL_SIZE * 2)

  /** Takes over the renewals of a Lease that was renewed now, at `revision`. Returns undefined if it does not. */
  enter(owner: HeartbeatOwner, times: RenewalTimes, nowMs: number, revision: number): HeartbeatStay | undefined {
    return this.enterRow(owner, times.seed, nowMs, revision, (id) => {
      this.periods[id * 2] = times.intervalMs
      this.periods[id * 2 + 1] = times.jitterMs
      return this.next(id, nowMs)
    })
  }

  protected next(id: number, nowMs: number): number {
    const { periods, seeds } = this
    const atMs = nowMs + (periods[id * 2] as number)
    const jitterMs = periods[id * 2 + 1] as number
    const seed = seeds[id * 2] as number
    if (jitterMs === 0) {
      seeds[id * 2 + 1] = seed
      return atMs
    }
    const drawn = nextState(seed)
    seeds[id * 2 + 1] = drawn
    return atMs + jitterMs * draw(drawn)
  }

  protected override grow(size: number): void {
    super.grow(size)
    this.periods = grown(this.periods, new Float64Array(size * 2))
  }
}
