import { type Container, type ContainerStatus, type Pod, parseTime, value } from "@rollcall/api"
import { ephemeralStorageUsed } from "../eviction/podUsage.ts"
import type { PodUsage } from "../runtime/NodeHost.ts"
import { modelledCores, statesMemory } from "./modelledUsage.ts"
import { ProcessorTime } from "./ProcessorTime.ts"
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
 * The stats of a machine and of the pods with a running container. Figures that are not modelled are absent: the network,
 * system daemons, pressure stalls, page faults, and the usage of images; of measured machines also memory besides the working set.
 * Upstream: pkg/kubelet/server/stats/summary.go, pkg/kubelet/stats/{provider,cri_stats_provider,helper}.go.
 */
export const summaryOf = (source: SummarySource): Summary => {
  const filesystems = {
    node: filesystemStats(source, "nodefs"),
    containers: filesystemStats(source, containerFilesystem(source))
  }
  const pods = source.pods.flatMap((pod) => podStatsOf(source, pod, filesystems))
  const idleBytes = sumOf(source.pods, (pod) => idleMemoryOf(source, pod))
  const { nodeName, startTime, ...node } = nodeStatsOf(source, idleBytes)
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

const sumOf = <A>(all: ReadonlyArray<A>, amountOf: (one: A) => number): number =>
  all.reduce((sum, one) => sum + amountOf(one), 0)

const runningOf = ({ statuses }: MeasuredPod) => statuses.filter(({ state }) => state?.running !== undefined)

/** Returns what the containers of a pod use that count as idle. */
const idleMemoryOf = ({ idle, readings }: SummarySource, pod: MeasuredPod): number => {
  if (idle === undefined) return 0
  const usage = readings?.podUsage(pod.pod.metadata.uid ?? "")
  return runningOf(pod).filter(({ name }) => !statesMemory(usage, name)).length * idle.memoryBytes
}

/** `idleBytes` is the memory of containers that the readings do not have. */
const nodeStatsOf = (source: SummarySource, idleBytes: number): NodeStats => {
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
      memory && {
        time: memory.time,
        availableBytes: Math.max(0, memory.available - idleBytes),
        ...usedMemory(source, memory.used + Math.min(idleBytes, memory.available))
      }
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
  measured: MeasuredPod,
  filesystems: ContainerFilesystems
): ReadonlyArray<PodStats> => {
  const { pod, startTime } = measured
  const { metadata } = pod
  const running = runningOf(measured)
  const podStartTime = startTime ?? running[0]?.state?.running?.startedAt
  if (running.length === 0 || podStartTime === undefined) return []
  const usage = source.readings?.podUsage(metadata.uid ?? "")
  const swapOf = containerSwapStats(source, pod)
  const stated = modelledCores(pod)
  const coresOf = (name: string) => stated(name) ?? source.idle?.cpuNanoCores
  const uid = metadata.uid ?? ""
  const specs = new Map([...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((one) => [one.name, one]))
  const containers = running.map((status) => ({
    name: status.name,
    startTime: status.state?.running?.startedAt ?? podStartTime,
    ...optionalField("cpu", cpuOf(source, uid, status, coresOf(status.name))),
    ...containerFigures(source, status.name, specs.get(status.name), usage, filesystems),
    ...optionalField("swap", swapOf(status.name))
  }))
  const { processes = 0 } = usage ?? {}
  return [
    {
      podRef: { name: metadata.name ?? "", namespace: metadata.namespace ?? "", uid },
      startTime: podStartTime,
      containers,
      ...optionalField("cpu", sumOfCpu(containers.map(({ cpu }) => cpu))),
      ...optionalField("memory", podMemoryOf(source, usage, idleMemoryOf(source, measured))),
      ...optionalField("volume", volumeStatsOf(pod, usage, filesystems.node)),
      ...optionalField("ephemeral-storage", ephemeralStorageOf(pod, usage, filesystems.node)),
      // A running pod has a process: 0 means that its behaviour does not define a number.
      ...(processes === 0 ? {} : { process_stats: { process_count: processes } }),
      ...optionalField("swap", podSwapStats(containers.map(({ swap }) => swap)))
    }
  ]
}

const cpuOf = (
  source: SummarySource,
  uid: string,
  { name, state }: ContainerStatus,
  nanoCores: number | undefined
): CPUStats | undefined => {
  const { clockSkewMs, nowMs } = source
  const startedAt = state?.running?.startedAt
  if (nanoCores === undefined || startedAt === undefined) return undefined
  const count = source.processorTime ?? new ProcessorTime().read(nowMs)
  return {
    time: machineTime(source, nowMs),
    usageNanoCores: wholeAmount(nanoCores),
    usageCoreNanoSeconds: wholeAmount(count(`${uid}/${name}`, parseTime(startedAt) - clockSkewMs, nanoCores))
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
  const used = statesMemory(usage, name) ? containerUsage?.memoryBytes : source.idle?.memoryBytes
  return {
    ...optionalField("memory", memoryOf(source, used, spec?.resources?.limits?.memory)),
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
    ...usedMemory(source, workingSetBytes)
  }
}

/** The figures of memory in use. All of what is modelled is anonymous memory, which no reclaim takes away. */
const usedMemory = (
  { idle }: SummarySource,
  workingSetBytes: number
): Pick<MemoryStats, "usageBytes" | "workingSetBytes" | "rssBytes"> =>
  idle === undefined ? { workingSetBytes } : { usageBytes: workingSetBytes, workingSetBytes, rssBytes: workingSetBytes }

/** Returns the memory of a pod, or undefined if no behaviour of its containers defines it and none is idle. */
const podMemoryOf = (
  source: SummarySource,
  usage: PodUsage | undefined,
  idleBytes: number
): MemoryStats | undefined => {
  if (idleBytes > 0) return memoryOf(source, (usage?.memoryBytes ?? 0) + idleBytes, undefined)
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
