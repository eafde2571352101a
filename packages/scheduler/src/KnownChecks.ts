import type { PodSpec } from "@rollcall/api"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { PodDemand } from "./cache/PodDemand.ts"
import type { NodeCheck, Rejection } from "./Plugin.ts"

/** What a check returned for each node, by its position. */
interface Results {
  /** The first one for the template. One check gives one value for all nodes that it rejects alike, which costs less to count. */
  readonly check: NodeCheck
  readonly requests: PodDemand
  /** The generations of the nodes that were checked; no node has 0. */
  readonly generations: Float64Array
  readonly rejections: Array<Rejection | undefined>
}

/** The templates whose results are kept: more than are created at a time, and few enough for a large cluster. */
const MAX_TEMPLATES = 16

/**
 * The results of checks for the latest templates, until a node changes. The replicas of a workload are scheduled one after another, and each
 * changes one node; a pod that fits nowhere is tried again after each event. Pods of one template have the same spec, as a value: most do,
 * because the API server keeps equal specs once.
 */
export class KnownChecks {
  /** In the order of their last use. */
  private readonly bySpec = new Map<PodSpec, Results>()

  /** Returns the check of a pod, with the results that it had for this template. It must be `local`: see Prepared. */
  remembering(pod: PodInfo, prepared: NodeCheck, nodeCount: number): NodeCheck {
    const { check, generations, rejections } = this.resultsOf(pod, prepared, nodeCount)
    return (node) => {
      const { generation, position } = node
      if (generations[position] === generation) return rejections[position]
      const rejection = check(node)
      generations[position] = generation
      rejections[position] = rejection
      return rejection
    }
  }

  private resultsOf({ pod: { spec }, requests }: PodInfo, check: NodeCheck, nodeCount: number): Results {
    const known = this.bySpec.get(spec)
    this.bySpec.delete(spec)
    const results =
      known !== undefined && known.requests === requests && known.generations.length >= nodeCount
        ? known
        : {
            check,
            requests,
            generations: new Float64Array(nodeCount),
            rejections: new Array(nodeCount).fill(undefined)
          }
    this.bySpec.set(spec, results)
    for (const oldest of this.bySpec.keys()) {
      if (this.bySpec.size <= MAX_TEMPLATES) break
      this.bySpec.delete(oldest)
    }
    return results
  }
}
