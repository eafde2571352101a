import { draw, nextState, type RngState } from "@rollcall/time"
import { grown, HeartbeatColumns, type HeartbeatOwner, type HeartbeatStay, INITIAL_SIZE } from "./HeartbeatColumns.ts"

/** When a Lease is renewed: `intervalMs` after the last renewal, and up to `jitterMs` later. */
export interface RenewalTimes {
  readonly intervalMs: number
  readonly jitterMs: number
  /** The state of the generator of the jitter. */
  readonly seed: RngState
}

/** The renewals of Leases. */
export class RenewalColumns extends HeartbeatColumns {
  private intervalMs = new Float64Array(INITIAL_SIZE)
  private jitterMs = new Float64Array(INITIAL_SIZE)

  /** Takes over the renewals of a Lease that was renewed now, at `revision`. Returns undefined if it does not. */
  enter(owner: HeartbeatOwner, times: RenewalTimes, nowMs: number, revision: number): HeartbeatStay | undefined {
    return this.enterRow(owner, times.seed, nowMs, revision, (id) => {
      this.intervalMs[id] = times.intervalMs
      this.jitterMs[id] = times.jitterMs
      this.setNext(id, nowMs)
    })
  }

  protected setNext(id: number, nowMs: number): void {
    const jitterMs = this.jitterMs[id] as number
    let at = nowMs + (this.intervalMs[id] as number)
    let seed = this.seed[id] as number
    if (jitterMs > 0) {
      seed = nextState(seed)
      at += jitterMs * draw(seed)
    }
    this.nextMs[id] = at
    this.nextSeed[id] = seed
  }

  protected override grow(size: number): void {
    super.grow(size)
    this.intervalMs = grown(this.intervalMs, new Float64Array(size))
    this.jitterMs = grown(this.jitterMs, new Float64Array(size))
  }
}
