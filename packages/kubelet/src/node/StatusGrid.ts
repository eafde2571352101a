import { draw, nextState, type RngState } from "@rollcall/time"

/**
 * The times at which a kubelet updates its node's status: every `frequencyMs` times 1 to 1.04, counted from the end of
 * the previous update. Most updates have nothing to do, and with 5,000 nodes they would be 1.8 million timers an hour.
 * Updates without effect are not scheduled: the driver computes the first one at which something is due, and when an
 * input changes earlier, the first one after that. The jitter comes from a generator whose state is kept here, so that
 * skipped updates leave the later ones at exactly the times that they would have had.
 */
export interface StatusGrid {
  /** The time of the update that this grid was last moved to. */
  readonly atMs: number
  /** The state of the jitter's generator. */
  readonly seed: RngState
}

/** The distance between two updates. */
export interface Cadence {
  readonly frequencyMs: number
  /** The greatest fraction that is added to `frequencyMs`. Upstream uses 0.04; 0 gives a fixed grid. */
  readonly jitter: number
}

/** Moves the grid to its first later update that is not before `notBeforeMs`, at Infinity if that is Infinity. */
export const moveGrid = (grid: StatusGrid, { frequencyMs, jitter }: Cadence, notBeforeMs: number): StatusGrid => {
  if (notBeforeMs === Number.POSITIVE_INFINITY) return { atMs: notBeforeMs, seed: grid.seed }
  if (jitter === 0) {
    const steps = Math.max(1, Math.ceil((notBeforeMs - grid.atMs) / frequencyMs))
    return { atMs: grid.atMs + steps * frequencyMs, seed: grid.seed }
  }
  let { atMs, seed } = grid
  do {
    seed = nextState(seed)
    atMs += frequencyMs * (1 + jitter * draw(seed))
  } while (atMs < notBeforeMs)
  return { atMs, seed }
}
