import { MAX_NODE_SCORE } from "../Plugin.ts"

/**
 * Scales scores in place to whole numbers, so that the highest becomes 100. With `reverse`, the lowest scores become
 * the best. Upstream: pkg/scheduler/framework/plugins/helper/normalize_score.go.
 */
export const normalize = (scores: Array<number>, reverse: boolean): void => {
  let highest = 0
  for (const score of scores) if (score > highest) highest = score
  if (highest === 0) {
    if (reverse) scores.fill(MAX_NODE_SCORE)
    return
  }
  for (let index = 0; index < scores.length; index++) {
    const score = Math.trunc((MAX_NODE_SCORE * (scores[index] ?? 0)) / highest)
    scores[index] = reverse ? MAX_NODE_SCORE - score : score
  }
}
