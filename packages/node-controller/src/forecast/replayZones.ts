import type { ForecastNode } from "./ForecastNode.ts"

interface PastEvent {
  readonly atMs: number
  readonly apply: () => void
  /** Whether it counts for its zone's state. */
  readonly counts: boolean
}

/** The past of a node that the API still shows: one change of Ready, and the current taint. */
const pastEventsOf = (node: ForecastNode): ReadonlyArray<PastEvent> => {
  const { createdMs, ready, readySinceMs, taintedMs, zone } = node
  const isReady = ready === "True"
  const events: Array<PastEvent> = []
  if (node.countsForZone) {
    const sinceMs = Math.max(readySinceMs ?? createdMs, createdMs)
    events.push({
      atMs: createdMs,
      counts: true,
      apply: () => zone.zone.count(createdMs < sinceMs ? !isReady : isReady)
    })
    if (createdMs < sinceMs) {
      events.push({
        atMs: sinceMs,
        counts: true,
        apply: () => {
          zone.zone.count(!isReady, -1)
          zone.zone.count(isReady)
        }
      })
    }
  }
  if (taintedMs !== undefined)
    events.push({ atMs: taintedMs, counts: false, apply: () => zone.drainLimiter(taintedMs) })
  return events
}

/**
 * Replays the past that the API still shows, to recover the controller's memory: the states of zones, and the tokens
 * in their buckets. Each node is assumed to have been in the opposite state from its creation to its last change.
 * Changes within `onePassMs` of the first are seen by the same pass: `judge` is called once, with the time of the last.
 */
export const replayZones = (
  nodes: ReadonlyArray<ForecastNode>,
  untilMs: number,
  onePassMs: number,
  judge: (atMs: number) => void
): void => {
  const events = nodes
    .flatMap(pastEventsOf)
    // Clock skew may put a past event into the future.
    .map((event) => ({ ...event, atMs: Math.min(event.atMs, untilMs) }))
    .sort((left, right) => left.atMs - right.atMs)
  let firstMs: number | undefined
  let latestMs = 0
  for (const { atMs, counts, apply } of events) {
    if (firstMs !== undefined && atMs >= firstMs + onePassMs) {
      judge(latestMs)
      firstMs = undefined
    }
    apply()
    if (!counts) continue
    firstMs ??= atMs
    latestMs = atMs
  }
  if (firstMs !== undefined) judge(latestMs)
}
