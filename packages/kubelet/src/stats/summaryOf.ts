import { type Container, type Pod, parseTime, value } from "@rollcall/api"
import { ephemeralStorageUsed } from "../eviction/podUsage.ts"
import type { PodUsage } from "../runtime/NodeHost.ts"
import { modelledCores } from "./modelledUsage.ts"
import type {
  ContainerStats,
  CPUStats,
  FsStats,
  MemoryStats,
  NodeStats,
  PodStats,
  Summary,
  VolumeStats
} from "./Summary.ts"
import {
  filesystemStats,
  type MeasuredPod,
  machineTime,
  type SummarySource,
  signalFigures,
  wholeAmount,
  withUsage
} from "./SummarySource.ts"
import { containerSwapStats, nodeSwapStats, podSwapStats } from "./swapStats.ts"

/**
 * The stats of a machine and of the pods with a running container. Figures that are not modelled are absent: processor
 * time, unless a behaviour has it, the network, system daemons, pressure stalls, memory besides the working set, and the usage of images.
 * Upstream: pkg/kubelet/server/stats/summary.go, pkg/kubelet/stats/{provider,cri_stats_provider,helper}.go.
 */
export const summaryOf = (source: SummarySource): Summary => {
  const filesystems = {
    node: filesystemStats(source, "nodefs"),
    containers: filesystemStats(source, containerFilesystem(source))
  }
  const pods = source.pods.flatMap((pod) => podStatsOf(source, pod, filesystems))
  const { nodeName, startTime, ...node } = nodeStatsOf(source)
  const cpu = sumOfCpu(pods.map((pod) => pod.cpu))
  return { node: { nodeName, startTime, ...optionalField("cpu", cpu), ...node }, pods }
}

/** The filesystems to which containers write: logs and volumes are on `node`, writable layers on `containers`. */
interface ContainerFilesystems {
  readonly node: FsStats | undefined
  readonly containers: FsStats | undefined
}

/** Returns the filesystem of writable layers, which are separate from images only if containerfs is measured. */
const containerFilesystem = ({ readings }: SummarySource): "imagefs" | "containerfs" =>
  readings?.signals["containerfs.available"] === undefined ? "imagefs" : "containerfs"

/** Returns an object with one field, or without it if the value is undefined. */
const optionalField = <Name extends string, A>(name: Name, content: A | undefined): { readonly [N in Name]?: A } =>
  content === undefined ? {} : ({ [name]: content } as { readonly [N in Name]?: A })

const nodeStatsOf = (source: SummarySource): NodeStats => {
  const memory = signalFigures(source, "memory.available")
  const disk = signalFigures(source, "nodefs.available")
  const inodes = signalFigures(source, "nodefs.inodesFree")
  const processes = signalFigures(source, "pid.available")
  const imageFs = filesystemStats(source, "imagefs")
  const containerFs = filesystemStats(source, containerFilesystem(source))
  return {
    nodeName: source.nodeName,
    startTime: machineTime(source, source.bootedMs),
    ...optionalField(
      "memory",
      memory && { time: memory.time, availableBytes: memory.available, workingSetBytes: memory.used }
    ),
    ...optionalField("fs", withUsage(filesystemStats(source, "nodefs"), { bytes: disk?.used, inodes: inodes?.used })),
    ...(imageFs === undefined && containerFs === undefined
      ? {}
      : { runtime: { ...optionalField("imageFs", imageFs), ...optionalField("containerFs", containerFs) } }),
    ...optionalField(
      "rlimit",
      processes && { time: processes.time, maxpid: processes.capacity, curproc: processes.used }
    ),
    ...optionalField("swap", nodeSwapStats(source))
  }
}

/** Returns the stats of a pod in a list. The list is empty for a pod without a running container. */
const podStatsOf = (
  source: SummarySource,
  { pod, startTime, statuses }: MeasuredPod,
  filesystems: ContainerFilesystems
): ReadonlyArray<PodStats> => {
  const { metadata } = pod
  const running = statuses.filter(({ state }) => state?.running !== undefined)
  const podStartTime = startTime ?? running[0]?.state?.running?.startedAt
  if (running.length === 0 || podStartTime === undefined) return []
  const usage = source.readings?.podUsage(metadata.uid ?? "")
  const swapOf = containerSwapStats(source, pod)
  const coresOf = modelledCores(pod)
  const specs = new Map([...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((one) => [one.name, one]))
  const containers = running.map((status) => ({
    name: status.name,
    startTime: status.state?.running?.startedAt ?? podStartTime,
    ...optionalField("cpu", cpuOf(source, coresOf(status.name), status.state?.running?.startedAt)),
    ...containerFigures(source, status.name, specs.get(status.name), usage, filesystems),
    ...optionalField("swap", swapOf(status.name))
  }))
  const { processes = 0 } = usage ?? {}
  return [
    {
      podRef: { name: metadata.name ?? "", namespace: metadata.namespace ?? "", uid: metadata.uid ?? "" },
      startTime: podStartTime,
      containers,
      ...optionalField("cpu", sumOfCpu(containers.map(({ cpu }) => cpu))),
      ...optionalField("memory", podMemoryOf(source, usage)),
      ...optionalField("volume", volumeStatsOf(pod, usage, filesystems.node)),
      ...optionalField("ephemeral-storage", ephemeralStorageOf(pod, usage, filesystems.node)),
      // A running pod has a process: 0 means that its behaviour does not define a number.
      ...(processes === 0 ? {} : { process_stats: { process_count: processes } }),
      ...optionalField("swap", podSwapStats(containers.map(({ swap }) => swap)))
    }
  ]
}

/** The processor time of a container that has used the same since its start. */
const cpuOf = (
  source: SummarySource,
  nanoCores: number | undefined,
  startedAt: string | undefined
): CPUStats | undefined => {
  if (nanoCores === undefined || startedAt === undefined) return undefined
  const ranMs = Math.max(0, source.nowMs + source.clockSkewMs - parseTime(startedAt))
  return {
    time: machineTime(source, source.nowMs),
    usageNanoCores: wholeAmount(nanoCores),
    usageCoreNanoSeconds: wholeAmount((nanoCores * ranMs) / 1000)
  }
}

const sumOfCpu = (all: ReadonlyArray<CPUStats | undefined>): CPUStats | undefined =>
  all.reduce<CPUStats | undefined>(
    (sum, cpu) =>
      sum === undefined || cpu === undefined
        ? (sum ?? cpu)
        : {
            time: cpu.time,
            usageNanoCores: sum.usageNanoCores + cpu.usageNanoCores,
            usageCoreNanoSeconds: sum.usageCoreNanoSeconds + cpu.usageCoreNanoSeconds
          },
    undefined
  )

const containerFigures = (
  source: SummarySource,
  name: string,
  spec: Container | undefined,
  usage: PodUsage | undefined,
  filesystems: ContainerFilesystems
): Pick<ContainerStats, "memory" | "rootfs" | "logs"> => {
  const containerUsage = usage?.containers?.[name]
  return {
    ...optionalField("memory", memoryOf(source, containerUsage?.memoryBytes, spec?.resources?.limits?.memory)),
    ...optionalField(
      "rootfs",
      withUsage(filesystems.containers, { bytes: containerUsage?.rootfsBytes, inodes: containerUsage?.rootfsInodes })
    ),
    ...optionalField(
      "logs",
      withUsage(filesystems.node, { bytes: containerUsage?.logsBytes, inodes: containerUsage?.logsInodes })
    )
  }
}

/** Returns the memory of a container or a pod. `used` is in bytes. Without a limit there is no available amount. */
const memoryOf = (
  source: SummarySource,
  used: number | undefined,
  limit: string | number | undefined
): MemoryStats | undefined => {
  if (used === undefined) return undefined
  const workingSetBytes = wholeAmount(used)
  const limitBytes = limit === undefined ? 0 : value(String(limit))
  return {
    time: machineTime(source, source.nowMs),
    ...(limitBytes === 0 ? {} : { availableBytes: wholeAmount(limitBytes - workingSetBytes) }),
    workingSetBytes
  }
}

/** Returns the memory of a pod, or undefined if no behaviour of its containers defines it. */
const podMemoryOf = (source: SummarySource, usage: PodUsage | undefined): MemoryStats | undefined => {
  const { containers, memoryBytes } = usage ?? {}
  const isDefined =
    containers === undefined || Object.values(containers).some((container) => container.memoryBytes !== undefined)
  return isDefined ? memoryOf(source, memoryBytes, undefined) : undefined
}

/**
 * Returns the usage that counts against a pod's ephemeral-storage limit, or undefined if no behaviour of its containers
 * defines it.
 */
const ephemeralStorageOf = (pod: Pod, usage: PodUsage | undefined, disk: FsStats | undefined): FsStats | undefined => {
  if (usage === undefined) return undefined
  const { containers = {}, ephemeralStorageBytes, volumes } = usage
  const isDefined =
    ephemeralStorageBytes !== undefined ||
    volumes !== undefined ||
    Object.values(containers).some(({ logsBytes, rootfsBytes }) => rootfsBytes !== undefined || logsBytes !== undefined)
  return isDefined ? withUsage(disk, { bytes: ephemeralStorageUsed(pod, usage), inodes: undefined }) : undefined
}

const volumeStatsOf = (
  { metadata, spec }: Pod,
  usage: PodUsage | undefined,
  disk: FsStats | undefined
): ReadonlyArray<VolumeStats> | undefined => {
  const { volumes: used = {} } = usage ?? {}
  const stats = (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }): ReadonlyArray<VolumeStats> => {
    const volumeUsage = used[name]
    const filesystem =
      volumeUsage === undefined
        ? undefined
        : withUsage(disk, { bytes: volumeUsage.usedBytes, inodes: volumeUsage.inodesUsed })
    if (filesystem === undefined) return []
    const pvcRef = claim === undefined ? undefined : { name: claim.claimName, namespace: metadata.namespace ?? "" }
    return [{ ...filesystem, name, ...optionalField("pvcRef", pvcRef) }]
  })
  return stats.length === 0 ? undefined : stats
}
