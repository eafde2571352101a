import type { ForecastNode } from "./ForecastNode.ts"

interface Past {
  readonly atMs: number
  readonly happens: () => void
  /** Whether it counts for its zone's state. */
  readonly counts: boolean
}

/** The past of a node that the API still shows: one change of Ready, and the current taint. */
const pastOf = (node: ForecastNode): ReadonlyArray<Past> => {
  const { createdMs, ready, readySinceMs, taintedMs, zone } = node
  const isReady = ready === "True"
  const past: Array<Past> = []
  if (node.counts) {
    const sinceMs = Math.max(readySinceMs ?? createdMs, createdMs)
    past.push({
      atMs: createdMs,
      counts: true,
      happens: () => zone.zone.count(createdMs < sinceMs ? !isReady : isReady)
    })
    if (createdMs < sinceMs) {
      past.push({
        atMs: sinceMs,
        counts: true,
        happens: () => {
          zone.zone.count(!isReady, -1)
          zone.zone.count(isReady)
        }
      })
    }
  }
  if (taintedMs !== undefined) past.push({ atMs: taintedMs, counts: false, happens: () => zone.replay(taintedMs) })
  return past
}

/**
 * Replays the past that the API still shows, to recover the controller's memory: the states of zones, and the tokens
 * in their buckets. Each node is assumed to have been in the opposite state from its creation to its last change.
 * Changes less than two passes apart are seen by one pass, and judged at its end.
 */
export const replayZones = (
  nodes: ReadonlyArray<ForecastNode>,
  untilMs: number,
  passMs: number,
  judge: (atMs: number) => void
): void => {
  const past = nodes
    .flatMap(pastOf)
    // Clock skew may put a past event into the future.
    .map((event) => ({ ...event, atMs: Math.min(event.atMs, untilMs) }))
    .sort((left, right) => left.atMs - right.atMs)
  let began: number | undefined
  let latest = 0
  for (const { atMs, counts, happens } of past) {
    if (began !== undefined && atMs >= began + passMs) {
      judge(latest)
      began = undefined
    }
    happens()
    if (!counts) continue
    began ??= atMs
    latest = atMs
  }
  if (began !== undefined) judge(latest)
}
