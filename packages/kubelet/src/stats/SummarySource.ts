import { type ContainerStatus, formatTime, type Pod, type Release } from "@rollcall/api"
import type { HostReadings, Machine, ResourceReading } from "../runtime/NodeHost.ts"
import type { SwapConfig } from "../swap/swapLimit.ts"
import type { ContainerUsage } from "./modelledUsage.ts"
import type { CountProcessorTime } from "./ProcessorTime.ts"
import type { FsStats } from "./Summary.ts"

/** A pod with the statuses of all its containers, from its kubelet. */
export interface MeasuredPod {
  readonly pod: Pod
  readonly statuses: ReadonlyArray<ContainerStatus>
  /** When the kubelet admitted the pod. If undefined, the start time of its first running container is used. */
  readonly startTime: string | undefined
}

/** A kubelet's data about its machine and its pods at one moment. */
export interface SummarySource {
  readonly nodeName: string
  readonly machine: Machine
  readonly config: SwapConfig
  readonly release: Release
  /** The current time by the clock of the cluster, in milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** The time of the machine's last boot, by the same clock. */
  readonly bootedMs: number
  /** How far the machine's own clock is ahead of the cluster's clock, in milliseconds. */
  readonly clockSkewMs: number
  /** Undefined if the machine's resources are not measured. */
  readonly readings: HostReadings | undefined
  readonly pods: ReadonlyArray<MeasuredPod>
  /** What a running container uses whose behaviour does not say it; absent if that is not known. */
  readonly idle?: Omit<ContainerUsage, "name">
  /** Counts the processor time of containers; absent if each has used the same since its start. */
  readonly processorTime?: CountProcessorTime
}

/** Formats a time of the cluster's clock as the machine's own clock shows it. */
export const machineTime = ({ clockSkewMs }: SummarySource, atMs: number): string => formatTime(atMs + clockSkewMs)

/** Returns an amount as the non-negative integer that stats require. */
export const wholeAmount = (amount: number): number => Math.max(0, Math.trunc(amount))

/**
 * One resource at one time. `available`, `capacity` and `used` have the unit of the resource: bytes, inodes or
 * processes.
 */
export interface Figures {
  readonly time: string
  readonly available: number
  readonly capacity: number
  readonly used: number
}

/** Returns the figures of an eviction signal, or undefined if it was not measured. */
export const signalFigures = (source: SummarySource, signal: string): Figures | undefined => {
  const reading: ResourceReading | undefined = source.readings?.signals[signal]
  if (reading === undefined) return undefined
  const available = wholeAmount(reading.available)
  const capacity = wholeAmount(reading.capacity)
  return { time: machineTime(source, reading.atMs), available, capacity, used: wholeAmount(capacity - available) }
}

/** Returns the size and free space of a filesystem, or undefined if it was not measured. */
export const filesystemStats = (
  source: SummarySource,
  filesystem: "nodefs" | "imagefs" | "containerfs"
): FsStats | undefined => {
  const bytes = signalFigures(source, `${filesystem}.available`)
  const inodes = signalFigures(source, `${filesystem}.inodesFree`)
  const time = bytes?.time ?? inodes?.time
  if (time === undefined) return undefined
  return {
    time,
    ...(bytes === undefined ? {} : { availableBytes: bytes.available, capacityBytes: bytes.capacity }),
    ...(inodes === undefined ? {} : { inodesFree: inodes.available, inodes: inodes.capacity })
  }
}

/**
 * Adds one user's usage to the stats of a filesystem. The fields are in upstream's order. Returns undefined if the
 * filesystem was not measured.
 */
export const withUsage = (
  filesystem: FsStats | undefined,
  used: { readonly bytes: number | undefined; readonly inodes: number | undefined }
): FsStats | undefined => {
  if (filesystem === undefined) return undefined
  const { availableBytes, capacityBytes, inodes, inodesFree, time } = filesystem
  return {
    time,
    ...(availableBytes === undefined ? {} : { availableBytes }),
    ...(capacityBytes === undefined ? {} : { capacityBytes }),
    ...(used.bytes === undefined ? {} : { usedBytes: wholeAmount(used.bytes) }),
    ...(inodesFree === undefined ? {} : { inodesFree }),
    ...(inodes === undefined ? {} : { inodes }),
    ...(used.inodes === undefined ? {} : { inodesUsed: wholeAmount(used.inodes) })
  }
}
