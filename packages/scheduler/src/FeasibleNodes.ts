/** Upstream: minFeasibleNodesToFind, minFeasibleNodesPercentageToFind. */
const MIN_FEASIBLE_NODES = 100
const MIN_PERCENTAGE = 5

/**
 * How many feasible nodes are searched for before the best of them is taken, among this number of nodes. A percentage of
 * 0 stands for one that falls from 50 with the size of the cluster. Upstream: pkg/scheduler/schedule_one.go numFeasibleNodesToFind.
 */
export const feasibleNodesToFind = (nodes: number, percentageOfNodesToScore: number): number => {
  if (nodes < MIN_FEASIBLE_NODES) return nodes
  const percentage =
    percentageOfNodesToScore === 0 ? Math.max(MIN_PERCENTAGE, 50 - Math.floor(nodes / 125)) : percentageOfNodesToScore
  return Math.max(MIN_FEASIBLE_NODES, Math.floor((nodes * percentage) / 100))
}
