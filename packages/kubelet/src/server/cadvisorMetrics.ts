import { parseTime, value } from "@rollcall/api"
import { type FamilySnapshot, familiesText, type Sample } from "@rollcall/time"
import type { Machine } from "../runtime/NodeHost.ts"
import type { ContainerStats, CPUStats, MemoryStats, PodStats, Summary, SwapStats } from "../stats/Summary.ts"
import { statusesOf } from "./countedMetrics.ts"
import { presentFamily } from "./presentFamily.ts"
import { type CgroupLimits, cgroupFolder, containerLimits, podCgroupLimits } from "./streams/cgroupFiles.ts"
import { anyContainer, type ServedPod } from "./streams/containerRun.ts"

/** A control group with the labels that a kubelet gives it, in the order of their names. */
interface Cgroup {
  readonly labels: {
    readonly container: string
    readonly id: string
    readonly image: string
    readonly name: string
    readonly namespace: string
    readonly pod: string
  }
  readonly startTime: string
  readonly cpu?: CPUStats | undefined
  readonly memory?: MemoryStats | undefined
  readonly swap?: SwapStats | undefined
  /** Undefined for the machine as a whole. */
  readonly limits?: CgroupLimits | undefined
}

interface Reading {
  readonly value: number
  readonly time?: string
}

type Read = (cgroup: Cgroup) => Reading | undefined

interface Family {
  readonly name: string
  readonly help: string
  readonly type?: "counter"
  readonly cpu?: string
  readonly read: Read
}

const ofMemory =
  (amount: (memory: MemoryStats) => number | undefined): Read =>
  ({ memory }) => {
    const bytes = memory === undefined ? undefined : amount(memory)
    return memory === undefined || bytes === undefined ? undefined : { value: bytes, time: memory.time }
  }

const ofLimits =
  (amount: (limits: CgroupLimits) => number | undefined): Read =>
  ({ limits }) => {
    const found = limits === undefined ? undefined : amount(limits)
    return found === undefined ? undefined : { value: found }
  }

/** Returns cpu.shares for cpu.weight. Upstream: cadvisor/container/common/helpers.go, convertCPUWeightToCPULimit. */
const sharesOf = (weight: number): number => 2 + Math.floor(((weight - 1) * 262_142) / 9999)

/** Those of what is modelled, by name. Upstream: cadvisor/metrics/prometheus.go. */
const families: ReadonlyArray<Family> = [
  {
    name: "container_cpu_usage_seconds_total",
    help: "Cumulative cpu time consumed in seconds.",
    type: "counter",
    cpu: "total",
    read: ({ cpu }) => cpu && { value: cpu.usageCoreNanoSeconds / 1e9, time: cpu.time }
  },
  {
    name: "container_last_seen",
    help: "Last time a container was seen by the exporter",
    read: ({ cpu, memory }) => {
      const time = (cpu ?? memory)?.time
      return time === undefined ? undefined : { value: Math.floor(parseTime(time) / 1000), time }
    }
  },
  { name: "container_memory_cache", help: "Number of bytes of page cache memory.", read: ofMemory(() => 0) },
  {
    name: "container_memory_rss",
    help: "Size of RSS in bytes.",
    read: ofMemory(({ rssBytes, workingSetBytes }) => rssBytes ?? workingSetBytes)
  },
  {
    name: "container_memory_swap",
    help: "Container swap usage in bytes.",
    read: ({ swap }) =>
      swap?.swapUsageBytes === undefined ? undefined : { value: swap.swapUsageBytes, time: swap.time }
  },
  {
    name: "container_memory_usage_bytes",
    help: "Current memory usage in bytes, including all memory regardless of when it was accessed",
    read: ofMemory(({ usageBytes, workingSetBytes }) => usageBytes ?? workingSetBytes)
  },
  {
    name: "container_memory_working_set_bytes",
    help: "Current working set in bytes.",
    read: ofMemory(({ workingSetBytes }) => workingSetBytes)
  },
  {
    name: "container_spec_cpu_period",
    help: "CPU period of the container.",
    read: ofLimits(({ periodUs }) => periodUs)
  },
  { name: "container_spec_cpu_quota", help: "CPU quota of the container.", read: ofLimits(({ quotaUs }) => quotaUs) },
  {
    name: "container_spec_cpu_shares",
    help: "CPU share of the container.",
    read: ofLimits(({ weight }) => sharesOf(weight))
  },
  {
    name: "container_spec_memory_limit_bytes",
    help: "Memory limit for the container.",
    read: ofLimits(({ memoryBytes }) => memoryBytes)
  },
  {
    name: "container_start_time_seconds",
    help: "Start time of the container since unix epoch in seconds.",
    read: ({ startTime }) => {
      const startedMs = parseTime(startTime)
      return startedMs > 0 ? { value: Math.floor(startedMs / 1000) } : undefined
    }
  }
]

const sampleOf = ({ labels }: Cgroup, cpu: string | undefined, { time, value: amount }: Reading): Sample => {
  const { container, ...others } = labels
  return {
    labels: [
      ["container", container],
      ...(cpu === undefined ? [] : [["cpu", cpu] as const]),
      ...Object.entries(others)
    ],
    value: amount,
    ...(time === undefined ? {} : { timeMs: parseTime(time) })
  }
}

const familyOf = (cgroups: ReadonlyArray<Cgroup>, { cpu, help, name, read, type }: Family) => {
  const samples = cgroups.flatMap((cgroup) => {
    const found = read(cgroup)
    return found === undefined ? [] : [sampleOf(cgroup, cpu, found)]
  })
  return presentFamily(name, help, samples, type)
}

const NO_LABELS: Cgroup["labels"] = { container: "", id: "/", image: "", name: "", namespace: "", pod: "" }

/** Returns the control group of a container; none if its status shows no container. */
const containerCgroup = (served: ServedPod, of: Cgroup["labels"], stats: ContainerStats): ReadonlyArray<Cgroup> => {
  const containerID = statusesOf(served).find(({ name }) => name === stats.name)?.containerID
  if (containerID === undefined) return []
  const name = containerID.replace(/^[^:]*:\/\//, "")
  const image = anyContainer(served.pod, stats.name)?.image ?? ""
  const labels = { ...of, container: stats.name, id: `${of.id}/cri-containerd-${name}.scope`, image, name }
  return [{ ...stats, labels, limits: containerLimits(served, stats.name) }]
}

const podCgroups = (stats: PodStats, served: ServedPod | undefined): ReadonlyArray<Cgroup> => {
  if (served === undefined) return []
  const { name: pod, namespace } = stats.podRef
  const labels = { ...NO_LABELS, id: `/${cgroupFolder(served.pod)}`, namespace, pod }
  return [
    { ...stats, labels, limits: podCgroupLimits(served) },
    ...stats.containers.flatMap((container) => containerCgroup(served, labels, container))
  ]
}

/** What is known of the machine. Upstream: cadvisor/metrics/prometheus_machine.go. */
const machineFamilies = ({
  bootID,
  capacity,
  machineID,
  swapBytes,
  systemUUID
}: Machine): ReadonlyArray<FamilySnapshot> => {
  const labels = [
    ["boot_id", bootID],
    ["machine_id", machineID],
    ["system_uuid", systemUUID]
  ] as const
  const gauge = (name: string, help: string, amount: number): FamilySnapshot => ({
    name,
    help,
    type: "gauge",
    samples: [{ labels, value: amount }]
  })
  return [
    gauge("machine_cpu_cores", "Number of logical CPU cores.", value(capacity.cpu ?? 0)),
    gauge("machine_memory_bytes", "Amount of memory installed on the machine.", value(capacity.memory ?? 0)),
    gauge("machine_swap_bytes", "Amount of swap memory available on the machine.", swapBytes ?? 0)
  ]
}

const scrapeError = (name: string, help: string): FamilySnapshot => ({
  name,
  help,
  type: "gauge",
  samples: [{ labels: [], value: 0 }]
})

/**
 * Returns the part of `/metrics/cadvisor` that is modelled: what the machine has, and what the control groups of the
 * machine, its pods and their containers may use and use. Upstream: pkg/kubelet/server, containerPrometheusLabelsFunc.
 */
export const cadvisorMetrics = (
  { node, pods }: Summary,
  machine: Machine,
  served: ReadonlyArray<ServedPod>
): string => {
  const byUid = new Map(served.map((each) => [each.pod.metadata.uid ?? "", each]))
  const root: Cgroup = { ...node, labels: NO_LABELS }
  const cgroups = [root, ...pods.flatMap((stats) => podCgroups(stats, byUid.get(stats.podRef.uid)))]
  return familiesText(
    [
      ...families.flatMap((family) => familyOf(cgroups, family)),
      scrapeError("container_scrape_error", "1 if there was an error while getting container metrics, 0 otherwise"),
      ...machineFamilies(machine),
      scrapeError("machine_scrape_error", "1 if there was an error while getting machine metrics, 0 otherwise.")
    ].toSorted((left, right) => (left.name < right.name ? -1 : 1))
  )
}
