export type Labels = Readonly<Record<string, string>>

export interface MetricSample {
  readonly name: string
  readonly labels: Labels
  readonly value: number
}

/** Without labels; there from the start. Upstream: pkg/kubelet/metrics/metrics.go. */
const plainNames = [
  "kubelet_topology_manager_admission_requests_total",
  "kubelet_topology_manager_admission_errors_total",
  "kubelet_cpu_manager_pinning_requests_total",
  "kubelet_cpu_manager_pinning_errors_total",
  "kubelet_cpu_manager_shared_pool_size_millicores",
  "kubelet_cpu_manager_exclusive_cpu_allocation_count",
  "kubelet_memory_manager_pinning_requests_total",
  "kubelet_memory_manager_pinning_errors_total"
] as const

/** What the resource managers count, by the kubelet's own names. */
export type MetricName =
  | (typeof plainNames)[number]
  /** Labels scope (container, pod) and boundary (numa_node, physical_cpu, uncore_cache). */
  | "kubelet_container_aligned_compute_resources_count"
  | "kubelet_container_aligned_compute_resources_failure_count"
  /** Label numa_node. */
  | "kubelet_cpu_manager_allocation_per_numa"

/** Upper bounds of the admission time's buckets, in milliseconds. */
const durationBounds = Array.from({ length: 15 }, (_, index) => 0.05 * 2 ** index)
const durationName = "kubelet_topology_manager_admission_duration_ms"

/** The counters and gauges of one kubelet's resource managers. */
export interface ResourceMetrics {
  readonly add: (name: MetricName, labels?: Labels) => void
  readonly set: (name: MetricName, value: number, labels?: Labels) => void
  /** The time that an admission took, whole milliseconds. */
  readonly observeAdmission: (durationMs: number) => void
  /** 0 for what was never counted. */
  readonly value: (name: MetricName, labels?: Labels) => number
  /** All of them as Prometheus has them, in a settled order; a histogram is its buckets, sum and count. */
  readonly samples: () => ReadonlyArray<MetricSample>
}

const none: Labels = {}
const keyOf = (name: string, labels: Labels): string =>
  `${name}${Object.keys(labels)
    .sort()
    .map((label) => `,${label}=${labels[label]}`)
    .join("")}`

export const makeResourceMetrics = (): ResourceMetrics => {
  const held = new Map<string, MetricSample>()
  const buckets = durationBounds.map(() => 0)
  let durationSum = 0
  let durationCount = 0
  const value = (name: string, labels: Labels = none): number => held.get(keyOf(name, labels))?.value ?? 0
  const set = (name: string, next: number, labels: Labels = none): void => {
    held.set(keyOf(name, labels), { name, labels, value: next })
  }
  const durationSamples = (): ReadonlyArray<MetricSample> => [
    ...durationBounds.map((bound, index) => ({
      name: `${durationName}_bucket`,
      labels: { le: String(bound) },
      value: buckets[index] ?? 0
    })),
    { name: `${durationName}_bucket`, labels: { le: "+Inf" }, value: durationCount },
    { name: `${durationName}_sum`, labels: none, value: durationSum },
    { name: `${durationName}_count`, labels: none, value: durationCount }
  ]
  return {
    add: (name, labels) => set(name, value(name, labels) + 1, labels),
    set,
    observeAdmission: (durationMs) => {
      durationSum += durationMs
      durationCount++
      durationBounds.forEach((bound, index) => {
        if (durationMs <= bound) buckets[index] = (buckets[index] ?? 0) + 1
      })
    },
    value,
    samples: () => [
      ...plainNames.map((name) => ({ name, labels: none, value: value(name) })),
      ...durationSamples(),
      ...[...held.entries()]
        .filter(([, sample]) => Object.keys(sample.labels).length > 0)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, sample]) => sample)
    ]
  }
}
