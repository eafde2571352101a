import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { ScorePlugin } from "./Plugin.ts"

/** Receives a plugin's scores for the nodes, multiplied by its weight. */
export type OnScores = (plugin: string, weighted: ReadonlyArray<number>) => void

/** Lists that are used again by each cycle, in place of new ones. */
export interface ScoreBuffers {
  readonly totals: Array<number>
  readonly scores: Array<number>
}

const zeros = (list: Array<number>, length: number): Array<number> => {
  list.length = length
  return list.fill(0)
}

/**
 * The total score of each node, in the order of the nodes. `onScores` is called for each plugin that applies. The result is in
 * `buffers`, if given.
 * Upstream: pkg/scheduler/schedule_one.go prioritizeNodes.
 */
export const scoreNodes = (
  pod: PodInfo,
  nodes: ReadonlyArray<NodeInfo>,
  cache: SchedulingCache,
  plugins: ReadonlyArray<ScorePlugin>,
  onScores?: OnScores,
  buffers: ScoreBuffers = { totals: [], scores: [] }
): ReadonlyArray<number> => {
  const totals = zeros(buffers.totals, nodes.length)
  const scores = zeros(buffers.scores, nodes.length)
  for (const { name, score, weight } of plugins) {
    if (!score(pod, nodes, cache, scores)) continue
    for (let index = 0; index < totals.length; index++) {
      totals[index] = (totals[index] ?? 0) + weight * (scores[index] ?? 0)
    }
    onScores?.(
      name,
      scores.map((value) => value * weight)
    )
  }
  return totals
}

/**
 * The node with the highest total, a random one among equals; undefined if there are no nodes. `random` returns numbers
 * from 0 to below 1.
 */
export const pickBest = <A>(
  nodes: ReadonlyArray<A>,
  totals: ReadonlyArray<number>,
  random: () => number
): A | undefined => {
  let best = Number.NEGATIVE_INFINITY
  let ties = 0
  for (const total of totals) {
    if (total > best) {
      best = total
      ties = 1
    } else if (total === best) ties++
  }
  let skipped = ties > 1 ? Math.floor(random() * ties) : 0
  for (let index = 0; index < nodes.length; index++) {
    if (totals[index] === best && skipped-- === 0) return nodes[index]
  }
  return undefined
}
