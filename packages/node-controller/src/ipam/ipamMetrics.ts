import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { CidrSetMeter } from "./CidrSet.ts"
import { formatRange, type IPRange } from "./IPRange.ts"

const allocations = Metric.counter("node_ipam_controller_cidrset_cidrs_allocations_total", {
  description: "[ALPHA] Counter measuring total number of CIDR allocations.",
  incremental: true
})
const releases = Metric.counter("node_ipam_controller_cidrset_cidrs_releases_total", {
  description: "[ALPHA] Counter measuring total number of CIDR releases.",
  incremental: true
})
/** The name is misspelt upstream. */
const maxCidrs = Metric.gauge("node_ipam_controller_cirdset_max_cidrs", {
  description: "[ALPHA] Maximum number of CIDRs that can be allocated."
})
const usageCidrs = Metric.gauge("node_ipam_controller_cidrset_usage_cidrs", {
  description: "[ALPHA] Gauge measuring percentage of allocated CIDRs."
})
const allocationTries = Metric.histogram("node_ipam_controller_cidrset_allocation_tries_per_request", {
  description: "[ALPHA] Histogram measuring CIDR allocation tries per request.",
  boundaries: [1, 5, 25, 125, 625]
})

/** Publishes the metrics of a set. Upstream: pkg/controller/nodeipam/ipam/cidrset/metrics.go. */
export const cidrSetMeter =
  (context: Context.Context<never>) =>
  (cluster: IPRange, max: number): CidrSetMeter => {
    const label = Metric.withAttributes({ clusterCIDR: formatRange(cluster) })
    const allocated = allocations.pipe(label)
    const released = releases.pipe(label)
    const usage = usageCidrs.pipe(label)
    const triesPerRequest = allocationTries.pipe(label)
    maxCidrs.pipe(label).updateUnsafe(max, context)
    return {
      allocated: (blocks) => allocated.updateUnsafe(blocks, context),
      released: (blocks) => released.updateUnsafe(blocks, context),
      usage: (fraction) => usage.updateUnsafe(fraction, context),
      skipped: (count) => triesPerRequest.updateUnsafe(count, context)
    }
  }
