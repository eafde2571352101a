import type { PodSpec } from "@rollcall/api"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { PodDemand } from "./cache/PodDemand.ts"
import type { NodeCheck } from "./Plugin.ts"
import { TemplateResults } from "./TemplateResults.ts"

/** The results that are kept for all templates together, some 16 MB of them, but those of at least so many templates, and of at most. */
const MAX_RESULTS = 1_000_000
const [MIN_TEMPLATES, MAX_TEMPLATES] = [16, 256]

/** A node that is lost has pods of many templates: all their replacements come in turn. */
const templatesFor = (nodeCount: number): number =>
  Math.min(MAX_TEMPLATES, Math.max(MIN_TEMPLATES, Math.floor(MAX_RESULTS / nodeCount)))

interface Known {
  readonly requests: PodDemand
  readonly nodeCount: number
  readonly results: TemplateResults
}

/**
 * The results of checks for the latest templates, until a node changes. The replicas of a workload are scheduled one after another, and each
 * changes one node; a pod that fits nowhere is tried again after each event. Pods of one template have the same spec, as a value: most do,
 * because the API server keeps equal specs once.
 */
export class KnownChecks {
  /** In the order of their last use. */
  private readonly bySpec = new Map<PodSpec, Known>()

  /** Returns the results of a check of a pod, with those that it had for this template. It must be `local`: see Prepared. */
  resultsOf({ pod: { spec }, requests }: PodInfo, check: NodeCheck, nodeCount: number): TemplateResults {
    const known = this.bySpec.get(spec)
    this.bySpec.delete(spec)
    const next =
      known !== undefined && known.requests === requests && known.nodeCount >= nodeCount
        ? known
        : { requests, nodeCount, results: new TemplateResults(check, nodeCount) }
    this.bySpec.set(spec, next)
    const most = templatesFor(nodeCount)
    for (const oldest of this.bySpec.keys()) {
      if (this.bySpec.size <= most) break
      this.bySpec.delete(oldest)
    }
    return next.results
  }
}
