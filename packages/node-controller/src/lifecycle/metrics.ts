import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** Eight boundaries in seconds, each four times the one before, as upstream's histogram buckets. */
const buckets = (start: number): ReadonlyArray<number> => Array.from({ length: 8 }, (_, index) => start * 4 ** index)

/** The metrics of one zone. */
interface ZoneSeries {
  readonly size: Metric.Gauge<number>
  readonly health: Metric.Gauge<number>
  readonly unhealthy: Metric.Gauge<number>
  readonly evictions: Metric.Counter<number>
}

const seriesOf = (zone: string): ZoneSeries => ({
  size: Metric.gauge("node_collector_zone_size", {
    description: "[ALPHA] Number of registered Nodes per zone.",
    attributes: { zone }
  }),
  health: Metric.gauge("node_collector_zone_health", {
    description: "[ALPHA] Percentage of healthy nodes per zone.",
    attributes: { zone }
  }),
  unhealthy: Metric.gauge("node_collector_unhealthy_nodes_in_zone", {
    description: "[ALPHA] Number of not Ready Nodes per zone.",
    attributes: { zone }
  }),
  evictions: Metric.counter("node_collector_evictions_total", {
    description: "[STABLE] Number of Node evictions that happened since current instance of NodeController started.",
    incremental: true,
    attributes: { zone }
  })
})

/** Duration of handling one node in a pass. */
export const updateNodeHealthSeconds = Metric.histogram("node_collector_update_node_health_duration_seconds", {
  description: "[ALPHA] Duration in seconds for NodeController to update the health of a single node.",
  boundaries: buckets(0.001)
})
export const updateAllNodesHealthSeconds = Metric.histogram("node_collector_update_all_nodes_health_duration_seconds", {
  description: "[ALPHA] Duration in seconds for NodeController to update the health of all nodes.",
  boundaries: buckets(0.01)
})

/** The current metrics of one zone. */
export interface ZoneMetrics {
  readonly size: number
  /** The ready nodes in percent, 0 to 100. */
  readonly health: number
  readonly unhealthy: number
  /** Nodes that the zone's queue tainted or, in early releases, whose pods it deleted. */
  readonly evictions: number
}

const initialZoneMetrics: ZoneMetrics = { size: 0, health: 100, unhealthy: 0, evictions: 0 }

/** Publishes a controller's zone metrics, and keeps their values. */
export class ZoneMeters {
  private readonly context: Context.Context<never>
  private readonly values = new Map<string, ZoneMetrics>()
  /** Kept for each zone, because a metric keeps its key in the registry. */
  private readonly series = new Map<string, ZoneSeries>()

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  get snapshot(): ReadonlyMap<string, ZoneMetrics> {
    return this.values
  }

  of(zoneKey: string): ZoneMetrics {
    return this.values.get(zoneKey) ?? initialZoneMetrics
  }

  setCounts(zoneKey: string, size: number, notReady: number): void {
    const health = size === 0 ? 100 : (100 * (size - notReady)) / size
    this.values.set(zoneKey, { ...this.of(zoneKey), size, health, unhealthy: notReady })
    const series = this.seriesOf(zoneKey)
    series.size.updateUnsafe(size, this.context)
    series.health.updateUnsafe(health, this.context)
    series.unhealthy.updateUnsafe(notReady, this.context)
  }

  /** Counts `nodes` evictions; 0 registers the counter. */
  addEvictions(zoneKey: string, nodes: number): void {
    const values = this.of(zoneKey)
    this.values.set(zoneKey, { ...values, evictions: values.evictions + nodes })
    this.seriesOf(zoneKey).evictions.updateUnsafe(nodes, this.context)
  }

  private seriesOf(zoneKey: string): ZoneSeries {
    const known = this.series.get(zoneKey)
    if (known !== undefined) return known
    const series = seriesOf(zoneKey)
    this.series.set(zoneKey, series)
    return series
  }
}
