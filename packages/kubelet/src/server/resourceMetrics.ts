import { parseTime } from "@rollcall/api"
import { familiesText, type Sample } from "@rollcall/time"
import type { ContainerStats, CPUStats, MemoryStats, PodStats, Summary, SwapStats } from "../stats/Summary.ts"
import { presentFamily } from "./presentFamily.ts"

type Labels = Sample["labels"]

interface Stats {
  readonly cpu?: CPUStats
  readonly memory?: MemoryStats
  readonly swap?: SwapStats
}

interface Family {
  readonly name: string
  readonly help: string
  readonly type?: "counter"
  /** The value of an object, and when it was measured; undefined if there is none. */
  readonly read: (stats: Stats) => { readonly time: string; readonly value: number } | undefined
}

const workingSet: Family["read"] = ({ memory }) =>
  memory === undefined ? undefined : { time: memory.time, value: memory.workingSetBytes }

const swapUsage: Family["read"] = ({ swap }) =>
  swap?.swapUsageBytes === undefined ? undefined : { time: swap.time, value: swap.swapUsageBytes }

const swapLimit: Family["read"] = ({ swap }) =>
  swap?.swapAvailableBytes === undefined
    ? undefined
    : { time: swap.time, value: swap.swapAvailableBytes + (swap.swapUsageBytes ?? 0) }

const cpuUsage: Family["read"] = ({ cpu }) =>
  cpu === undefined ? undefined : { time: cpu.time, value: cpu.usageCoreNanoSeconds / 1e9 }

const cpuOf = (what: string): Family => ({
  name: `${what}_cpu_usage_seconds_total`,
  help: `[STABLE] Cumulative cpu time consumed by the ${what} in core-seconds`,
  type: "counter",
  read: cpuUsage
})

const workingSetOf = (what: string): Family => ({
  name: `${what}_memory_working_set_bytes`,
  help: `[STABLE] Current working set of the ${what} in bytes`,
  read: workingSet
})

const containerFamilies: ReadonlyArray<Family> = [
  cpuOf("container"),
  workingSetOf("container"),
  {
    name: "container_swap_limit_bytes",
    help: "[ALPHA] Current amount of the container swap limit in bytes. Reported only on non-windows systems",
    read: swapLimit
  },
  {
    name: "container_swap_usage_bytes",
    help: "[ALPHA] Current amount of the container swap usage in bytes. Reported only on non-windows systems",
    read: swapUsage
  }
]

const podFamilies: ReadonlyArray<Family> = [
  cpuOf("pod"),
  workingSetOf("pod"),
  {
    name: "pod_swap_usage_bytes",
    help: "[ALPHA] Current amount of the pod swap usage in bytes. Reported only on non-windows systems",
    read: swapUsage
  }
]

const nodeFamilies: ReadonlyArray<Family> = [
  cpuOf("node"),
  workingSetOf("node"),
  {
    name: "node_swap_usage_bytes",
    help: "[ALPHA] Current swap usage of the node in bytes. Reported only on non-windows systems",
    read: swapUsage
  }
]

const podLabels = ({ podRef }: PodStats): Labels => [
  ["namespace", podRef.namespace],
  ["pod", podRef.name]
]

type Labelled<A> = readonly [stats: A, labels: Labels]

const familiesOf = (families: ReadonlyArray<Family>, all: ReadonlyArray<Labelled<Stats>>) =>
  families.flatMap(({ help, name, read, type }) =>
    presentFamily(
      name,
      help,
      all.flatMap(([stats, labels]) => {
        const measured = read(stats)
        return measured === undefined ? [] : [{ labels, value: measured.value, timeMs: parseTime(measured.time) }]
      }),
      type
    )
  )

const scrapeError = (isError: boolean) =>
  presentFamily(
    "resource_scrape_error",
    "[STABLE] 1 if there was an error while getting container metrics, 0 otherwise",
    [{ labels: [], value: isError ? 1 : 0 }]
  )

/**
 * Returns `/metrics/resource`, which metrics servers scrape; cpu is that of behaviours. Upstream:
 * pkg/kubelet/metrics/collectors/resource_metrics.go.
 */
export const resourceMetrics = (summary: Summary | string): string => {
  if (typeof summary === "string") return familiesText(scrapeError(true))
  const pods = summary.pods.map((pod): Labelled<PodStats> => [pod, podLabels(pod)])
  const containers = pods.flatMap(([pod, labels]) =>
    pod.containers.map((stats): Labelled<ContainerStats> => [stats, [["container", stats.name], ...labels]])
  )
  const started = containers.map(([{ startTime }, labels]) => ({ labels, value: parseTime(startTime) / 1000 }))
  return familiesText([
    ...familiesOf(containerFamilies.slice(0, 2), containers),
    ...presentFamily(
      "container_start_time_seconds",
      "[STABLE] Start time of the container since unix epoch in seconds",
      started.filter(({ value }) => value > 0)
    ),
    ...familiesOf(containerFamilies.slice(2), containers),
    ...familiesOf(nodeFamilies, [[summary.node, []]]),
    ...familiesOf(podFamilies, pods),
    ...scrapeError(false)
  ])
}
