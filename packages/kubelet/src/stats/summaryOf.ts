import { type Container, type Pod, value } from "@rollcall/api"
import { ephemeralStorageUsed } from "../eviction/podUsage.ts"
import type { PodUsage } from "../runtime/NodeHost.ts"
import type { ContainerStats, FsStats, MemoryStats, NodeStats, PodStats, Summary, VolumeStats } from "./Summary.ts"
import {
  figuresOf,
  filesystemOf,
  fsStats,
  type MeasuredPod,
  type SummarySource,
  timeOf,
  wholeAmount
} from "./SummarySource.ts"
import { containerSwapStats, nodeSwapStats, podSwapStats } from "./swapStats.ts"

/**
 * The stats of a machine and of the pods with a running container. Figures that are not modelled are absent: processor
 * time, the network, system daemons, pressure stalls, memory besides the working set, and the usage of images.
 * Upstream: pkg/kubelet/server/stats/summary.go, pkg/kubelet/stats/{provider,cri_stats_provider,helper}.go.
 */
export const summaryOf = (source: SummarySource): Summary => {
  const disks = { node: filesystemOf(source, "nodefs"), containers: filesystemOf(source, containersOn(source)) }
  return { node: nodeStatsOf(source), pods: source.pods.flatMap((pod) => podStatsOf(source, pod, disks)) }
}

/** Filesystems that containers write to. */
interface Disks {
  readonly node: FsStats | undefined
  readonly containers: FsStats | undefined
}

const containersOn = ({ readings }: SummarySource): "imagefs" | "containerfs" =>
  readings?.signals["containerfs.available"] === undefined ? "imagefs" : "containerfs"

/** A field that is absent if its value is undefined. */
const optional = <Name extends string, A>(name: Name, held: A | undefined): { readonly [N in Name]?: A } =>
  held === undefined ? {} : ({ [name]: held } as { readonly [N in Name]?: A })

const nodeStatsOf = (source: SummarySource): NodeStats => {
  const memory = figuresOf(source, "memory.available")
  const disk = figuresOf(source, "nodefs.available")
  const inodes = figuresOf(source, "nodefs.inodesFree")
  const processes = figuresOf(source, "pid.available")
  const imageFs = filesystemOf(source, "imagefs")
  const containerFs = filesystemOf(source, containersOn(source))
  return {
    nodeName: source.nodeName,
    startTime: timeOf(source, source.bootedMs),
    ...optional(
      "memory",
      memory && { time: memory.time, availableBytes: memory.available, workingSetBytes: memory.used }
    ),
    ...optional("fs", fsStats(filesystemOf(source, "nodefs"), { bytes: disk?.used, inodes: inodes?.used })),
    ...(imageFs === undefined && containerFs === undefined
      ? {}
      : { runtime: { ...optional("imageFs", imageFs), ...optional("containerFs", containerFs) } }),
    ...optional("rlimit", processes && { time: processes.time, maxpid: processes.capacity, curproc: processes.used }),
    ...optional("swap", nodeSwapStats(source))
  }
}

/** Undefined for a pod without a running container. */
const podStatsOf = (
  source: SummarySource,
  { pod, startTime, statuses }: MeasuredPod,
  disks: Disks
): ReadonlyArray<PodStats> => {
  const { metadata } = pod
  const running = statuses.filter(({ state }) => state?.running !== undefined)
  const began = startTime ?? running[0]?.state?.running?.startedAt
  if (running.length === 0 || began === undefined) return []
  const usage = source.readings?.podUsage(metadata.uid ?? "")
  const swapOf = containerSwapStats(source, pod)
  const specs = new Map([...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((one) => [one.name, one]))
  const containers = running.map((status) => ({
    name: status.name,
    startTime: status.state?.running?.startedAt ?? began,
    ...containerFigures(source, status.name, specs.get(status.name), usage, disks),
    ...optional("swap", swapOf(status.name))
  }))
  const { processes = 0 } = usage ?? {}
  return [
    {
      podRef: { name: metadata.name ?? "", namespace: metadata.namespace ?? "", uid: metadata.uid ?? "" },
      startTime: began,
      containers,
      ...optional("memory", podMemoryOf(source, usage)),
      ...optional("volume", volumeStatsOf(pod, usage, disks.node)),
      ...optional("ephemeral-storage", ephemeralStorageOf(pod, usage, disks.node)),
      // A running pod has a process: 0 means that its behaviour does not define a number.
      ...(processes === 0 ? {} : { process_stats: { process_count: processes } }),
      ...optional("swap", podSwapStats(containers.map(({ swap }) => swap)))
    }
  ]
}

const containerFigures = (
  source: SummarySource,
  name: string,
  spec: Container | undefined,
  usage: PodUsage | undefined,
  disks: Disks
): Pick<ContainerStats, "memory" | "rootfs" | "logs"> => {
  const own = usage?.containers?.[name]
  return {
    ...optional("memory", memoryOf(source, own?.memoryBytes, spec?.resources?.limits?.memory)),
    ...optional("rootfs", fsStats(disks.containers, { bytes: own?.rootfsBytes, inodes: own?.rootfsInodes })),
    ...optional("logs", fsStats(disks.node, { bytes: own?.logsBytes, inodes: own?.logsInodes }))
  }
}

const memoryOf = (
  source: SummarySource,
  used: number | undefined,
  limit: string | number | undefined
): MemoryStats | undefined => {
  if (used === undefined) return undefined
  const workingSetBytes = wholeAmount(used)
  const bytes = limit === undefined ? 0 : value(String(limit))
  return {
    time: timeOf(source, source.nowMs),
    ...(bytes === 0 ? {} : { availableBytes: wholeAmount(bytes - workingSetBytes) }),
    workingSetBytes
  }
}

/** The memory of a pod; undefined: no behaviour of its containers defines it. */
const podMemoryOf = (source: SummarySource, usage: PodUsage | undefined): MemoryStats | undefined => {
  const { containers, memoryBytes } = usage ?? {}
  const isSaid =
    containers === undefined || Object.values(containers).some((container) => container.memoryBytes !== undefined)
  return isSaid ? memoryOf(source, memoryBytes, undefined) : undefined
}

/**
 * The usage that counts against a pod's ephemeral-storage limit; undefined: no behaviour of its containers defines it.
 */
const ephemeralStorageOf = (pod: Pod, usage: PodUsage | undefined, disk: FsStats | undefined): FsStats | undefined => {
  if (usage === undefined) return undefined
  const { containers = {}, ephemeralStorageBytes, volumes } = usage
  const isSaid =
    ephemeralStorageBytes !== undefined ||
    volumes !== undefined ||
    Object.values(containers).some(({ logsBytes, rootfsBytes }) => rootfsBytes !== undefined || logsBytes !== undefined)
  return isSaid ? fsStats(disk, { bytes: ephemeralStorageUsed(pod, usage), inodes: undefined }) : undefined
}

const volumeStatsOf = (
  { metadata, spec }: Pod,
  usage: PodUsage | undefined,
  disk: FsStats | undefined
): ReadonlyArray<VolumeStats> | undefined => {
  const { volumes: used = {} } = usage ?? {}
  const stats = (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }): ReadonlyArray<VolumeStats> => {
    const own = used[name]
    const filesystem = own === undefined ? undefined : fsStats(disk, { bytes: own.usedBytes, inodes: own.inodesUsed })
    if (filesystem === undefined) return []
    const pvcRef = claim === undefined ? undefined : { name: claim.claimName, namespace: metadata.namespace ?? "" }
    return [{ ...filesystem, name, ...optional("pvcRef", pvcRef) }]
  })
  return stats.length === 0 ? undefined : stats
}
