import type { Service } from "@rollcall/api"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

// Names, descriptions and boundaries as upstream: staging/src/k8s.io/endpointslice/metrics/metrics.go.

const named = (name: string): string => `endpoint_slice_controller_${name}`
/** 2, 4, 8, … 32,768. */
const doublingBoundaries = Array.from({ length: 15 }, (_, index) => 2 ** (index + 1))
/** The default boundaries of histograms in Prometheus. */
const defaultBoundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const added = Metric.histogram(named("endpoints_added_per_sync"), {
  description: "[BETA] Number of endpoints added on each Service sync",
  boundaries: doublingBoundaries
})
const removed = Metric.histogram(named("endpoints_removed_per_sync"), {
  description: "[BETA] Number of endpoints removed on each Service sync",
  boundaries: doublingBoundaries
})
const changedSlices = Metric.histogram(named("endpointslices_changed_per_sync"), {
  description: "[ALPHA] Number of EndpointSlices changed on each Service sync",
  boundaries: defaultBoundaries
})
const endpointsDesired = Metric.gauge(named("endpoints_desired"), { description: "[BETA] Number of endpoints desired" })
const numSlices = Metric.gauge(named("num_endpoint_slices"), { description: "[BETA] Number of EndpointSlices" })
const desiredSlices = Metric.gauge(named("desired_endpoint_slices"), {
  description: "[BETA] Number of EndpointSlices that would exist with perfect endpoint allocation"
})
const changes = Metric.counter(named("changes"), {
  description: "[ALPHA] Number of EndpointSlice changes",
  incremental: true
})
const syncs = Metric.counter(named("syncs"), {
  description: "[ALPHA] Number of EndpointSlice syncs",
  incremental: true
})

/** The figures of one service's slices. */
export interface SliceFigures {
  readonly endpoints: number
  readonly slices: number
  /** The number of slices if each were full. */
  readonly desired: number
}

const noFigures: SliceFigures = { endpoints: 0, slices: 0, desired: 0 }

/** Updates the metrics of the endpoint slice controller; its gauges are sums over all services. */
export class SliceMeters {
  private readonly context: Context.Context<never>
  private readonly byService = new Map<string, SliceFigures>()
  private total: SliceFigures = noFigures

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  countSync(result: "success" | "stale" | "error"): void {
    syncs.pipe(Metric.withAttributes({ result })).updateUnsafe(1, this.context)
  }

  countWrite(operation: "create" | "update" | "delete"): void {
    changes.pipe(Metric.withAttributes({ operation })).updateUnsafe(1, this.context)
  }

  /** Replaces the figures of a service. */
  setFigures(key: string, figures: SliceFigures): void {
    const before = this.byService.get(key) ?? noFigures
    this.byService.set(key, figures)
    this.publish(before, figures)
  }

  /** Records how many endpoints one sync added and removed, and how many slices it changed. */
  recordSync({ spec }: Service, endpointsAdded: number, endpointsRemoved: number, slices: number): void {
    added.updateUnsafe(endpointsAdded, this.context)
    removed.updateUnsafe(endpointsRemoved, this.context)
    const labels = { topology: "Disabled", traffic_distribution: spec?.trafficDistribution ?? "" }
    changedSlices.pipe(Metric.withAttributes(labels)).updateUnsafe(slices, this.context)
  }

  forget(key: string): void {
    const before = this.byService.get(key)
    if (before === undefined) return
    this.byService.delete(key)
    this.publish(before, noFigures)
  }

  private publish(before: SliceFigures, after: SliceFigures): void {
    this.total = {
      endpoints: this.total.endpoints + after.endpoints - before.endpoints,
      slices: this.total.slices + after.slices - before.slices,
      desired: this.total.desired + after.desired - before.desired
    }
    endpointsDesired.updateUnsafe(this.total.endpoints, this.context)
    numSlices.updateUnsafe(this.total.slices, this.context)
    desiredSlices.updateUnsafe(this.total.desired, this.context)
  }
}
