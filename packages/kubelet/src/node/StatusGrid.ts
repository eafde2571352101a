import { draw, nextState, type RngState } from "@rollcall/time"

/**
 * The instants at which a kubelet looks at its node's status: every `frequencyMs` times 1 to 1.04, counted from the end of the
 * look before. Most looks find nothing to do, and with 5,000 nodes they would be 1.8 million timers an hour. They have no
 * effect, so the driver does not plan them: it works out the first look at which something is due, and when an input changes
 * earlier, the first look after that. The jitter is drawn from a state kept here, so that looks which are skipped fall on the
 * very instants on which they would have been made.
 */
export interface StatusGrid {
  /** The look that this grid was last moved to. */
  readonly atMs: number
  /** Where the jitter of the next look comes from. */
  readonly seed: RngState
}

export interface Cadence {
  readonly frequencyMs: number
  /** 0.04 is upstream's; 0 makes a fixed grid. */
  readonly jitter: number
}

/** The first look after the grid's own that is not before `notBeforeMs`; Infinity when nothing is ever due. */
export const gridFrom = (grid: StatusGrid, { frequencyMs, jitter }: Cadence, notBeforeMs: number): StatusGrid => {
  if (notBeforeMs === Number.POSITIVE_INFINITY) return { atMs: notBeforeMs, seed: grid.seed }
  if (jitter === 0) {
    const looks = Math.max(1, Math.ceil((notBeforeMs - grid.atMs) / frequencyMs))
    return { atMs: grid.atMs + looks * frequencyMs, seed: grid.seed }
  }
  let { atMs, seed } = grid
  do {
    seed = nextState(seed)
    atMs += frequencyMs * (1 + jitter * draw(seed))
  } while (atMs < notBeforeMs)
  return { atMs, seed }
}
