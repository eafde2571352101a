import type { ForecastNode } from "./ForecastNode.ts"

interface Past {
  readonly atMs: number
  readonly happens: () => void
  /** Zones are judged by it. */
  readonly counts: boolean
}

/** What the API still shows of a node's past: one change of Ready, and the taint that it carries. */
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
  if (taintedMs !== undefined) past.push({ atMs: taintedMs, counts: false, happens: () => zone.recall(taintedMs) })
  return past
}

/**
 * Lives through what the API still shows of the past, for what controllers remember of it: states of zones, and how full their
 * buckets are. Before its last change each node is taken to have been in the opposite state since it was made. Changes that
 * are closer than two passes were seen by one, and judged at its end.
 */
export const recallZones = (
  nodes: ReadonlyArray<ForecastNode>,
  untilMs: number,
  passMs: number,
  judge: (atMs: number) => void
): void => {
  const past = nodes
    .flatMap(pastOf)
    // By another clock something may still lie ahead.
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
