import { canonicalJson } from "@rollcall/api"
import { metricsContext } from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** The labels of a metric, by name. */
export type Labels = Readonly<Record<string, string>>

const counter = (name: string, description: string): Metric.Metric<number, unknown> =>
  Metric.counter(name, { description: `[ALPHA] ${description}`, incremental: true })
const gauge = (name: string, description: string): Metric.Metric<number, unknown> =>
  Metric.gauge(name, { description: `[ALPHA] ${description}` })

/** The metrics without labels, which exist from the start. Upstream: pkg/kubelet/metrics/metrics.go. */
const unlabelled = {
  kubelet_topology_manager_admission_requests_total: counter(
    "kubelet_topology_manager_admission_requests_total",
    "The number of admission requests where resources have to be aligned."
  ),
  kubelet_topology_manager_admission_errors_total: counter(
    "kubelet_topology_manager_admission_errors_total",
    "The number of admission request failures where resources could not be aligned."
  ),
  kubelet_cpu_manager_pinning_requests_total: counter(
    "kubelet_cpu_manager_pinning_requests_total",
    "The number of cpu core allocations which required pinning."
  ),
  kubelet_cpu_manager_pinning_errors_total: counter(
    "kubelet_cpu_manager_pinning_errors_total",
    "The number of cpu core allocations which required pinning failed."
  ),
  kubelet_cpu_manager_shared_pool_size_millicores: gauge(
    "kubelet_cpu_manager_shared_pool_size_millicores",
    "The size of the shared CPU pool for non-guaranteed QoS pods, in millicores."
  ),
  kubelet_cpu_manager_exclusive_cpu_allocation_count: gauge(
    "kubelet_cpu_manager_exclusive_cpu_allocation_count",
    "The total number of CPUs exclusively allocated to containers running on this node"
  ),
  kubelet_memory_manager_pinning_requests_total: counter(
    "kubelet_memory_manager_pinning_requests_total",
    "The number of memory pages allocations which required pinning."
  ),
  kubelet_memory_manager_pinning_errors_total: counter(
    "kubelet_memory_manager_pinning_errors_total",
    "The number of memory pages allocations which required pinning that failed."
  )
}

const metrics = {
  ...unlabelled,
  /** Labels scope (container, pod) and boundary (numa_node, physical_cpu, uncore_cache). */
  kubelet_container_aligned_compute_resources_count: counter(
    "kubelet_container_aligned_compute_resources_count",
    "Cumulative number of aligned compute resources allocated to containers by alignment type."
  ),
  kubelet_container_aligned_compute_resources_failure_count: counter(
    "kubelet_container_aligned_compute_resources_failure_count",
    "Cumulative number of failures to allocate aligned compute resources to containers by alignment type."
  ),
  /** Label numa_node. */
  kubelet_cpu_manager_allocation_per_numa: gauge(
    "kubelet_cpu_manager_allocation_per_numa",
    "Number of CPUs allocated per NUMA node"
  )
}

/** The duration of admissions in whole milliseconds. */
const admissionDuration = Metric.histogram("kubelet_topology_manager_admission_duration_ms", {
  description: "[ALPHA] Duration in milliseconds to serve a pod admission request.",
  boundaries: Array.from({ length: 15 }, (_, index) => 0.05 * 2 ** index)
})

/** The metrics of the resource managers, under the kubelet's names. */
export type MetricName = keyof typeof metrics

/** The counters and gauges of one kubelet's resource managers. */
export interface ResourceMetrics {
  readonly add: (name: MetricName, labels?: Labels) => void
  readonly set: (name: MetricName, value: number, labels?: Labels) => void
  /** Records the duration of an admission, in whole milliseconds. */
  readonly observeAdmission: (durationMs: number) => void
  /** Returns the value of a metric with exactly these labels; 0 if it was never updated. */
  readonly value: (name: MetricName, labels?: Labels) => number
  /** The registry of these metrics, in which no other kubelet counts. */
  readonly context: Context.Context<never>
}

const noLabels: Labels = {}

/** Makes the metrics of one kubelet, in a registry of its own. */
export const makeResourceMetrics = (): ResourceMetrics => {
  const context = metricsContext()
  const update = (name: MetricName, value: number, labels: Labels = noLabels): void =>
    metrics[name].pipe(Metric.withAttributes(labels)).updateUnsafe(value, context)
  for (const metric of Object.values(unlabelled)) metric.updateUnsafe(0, context)
  admissionDuration.valueUnsafe(context)
  return {
    add: (name, labels) => update(name, 1, labels),
    set: update,
    observeAdmission: (durationMs) => admissionDuration.updateUnsafe(durationMs, context),
    value: (name, labels = noLabels) => {
      const wanted = canonicalJson(labels)
      for (const { attributes = {}, id, state } of Metric.snapshotUnsafe(context)) {
        if (id !== name || canonicalJson(attributes) !== wanted) continue
        return Number("count" in state ? state.count : "value" in state ? state.value : 0)
      }
      return 0
    },
    context
  }
}
