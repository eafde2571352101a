import { type ContainerStatus, formatTime, type Pod, type Release } from "@rollcall/api"
import type { HostReadings, Machine, ResourceReading } from "../runtime/NodeHost.ts"
import type { SwapConfig } from "../swap/swapLimit.ts"
import type { FsStats } from "./Summary.ts"

/** A pod with the statuses of all its containers, from its kubelet. */
export interface MeasuredPod {
  readonly pod: Pod
  readonly statuses: ReadonlyArray<ContainerStatus>
  /** When the kubelet admitted it; absent: the start of its first running container is used. */
  readonly startTime: string | undefined
}

/** A kubelet's data about its machine and its pods at one moment. */
export interface SummarySource {
  readonly nodeName: string
  readonly machine: Machine
  readonly config: SwapConfig
  readonly release: Release
  /** The current time and the machine's last boot, in milliseconds of the world's clock. */
  readonly nowMs: number
  readonly bootedMs: number
  /** How far the machine's own clock is ahead. */
  readonly clockSkewMs: number
  /** Absent: the machine's resources are not measured. */
  readonly readings: HostReadings | undefined
  readonly pods: ReadonlyArray<MeasuredPod>
}

/** A time by the machine's own clock. */
export const timeOf = ({ clockSkewMs }: SummarySource, atMs: number): string => formatTime(atMs + clockSkewMs)

/** Stats are non-negative integers. */
export const wholeAmount = (amount: number): number => Math.max(0, Math.trunc(amount))

export interface Figures {
  readonly time: string
  readonly available: number
  readonly capacity: number
  readonly used: number
}

/** The reading of an eviction signal; undefined: none. */
export const figuresOf = (source: SummarySource, signal: string): Figures | undefined => {
  const reading: ResourceReading | undefined = source.readings?.signals[signal]
  if (reading === undefined) return undefined
  const available = wholeAmount(reading.available)
  const capacity = wholeAmount(reading.capacity)
  return { time: timeOf(source, reading.atMs), available, capacity, used: wholeAmount(capacity - available) }
}

/** The size and free space of a filesystem; undefined: it was not measured. */
export const filesystemOf = (
  source: SummarySource,
  filesystem: "nodefs" | "imagefs" | "containerfs"
): FsStats | undefined => {
  const bytes = figuresOf(source, `${filesystem}.available`)
  const inodes = figuresOf(source, `${filesystem}.inodesFree`)
  const time = bytes?.time ?? inodes?.time
  if (time === undefined) return undefined
  return {
    time,
    ...(bytes === undefined ? {} : { availableBytes: bytes.available, capacityBytes: bytes.capacity }),
    ...(inodes === undefined ? {} : { inodesFree: inodes.available, inodes: inodes.capacity })
  }
}

/** A filesystem with the usage of one user, in upstream's order of fields. */
export const fsStats = (
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
