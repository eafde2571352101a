import { type ContainerStatus, formatTime, type Pod, type Release } from "@rollcall/api"
import type { HostReadings, Machine, ResourceReading } from "../runtime/NodeHost.ts"
import type { SwapConfig } from "../swap/swapLimit.ts"
import type { FsStats } from "./Summary.ts"

/** A pod with the statuses of all its containers, as its kubelet has them. */
export interface MeasuredPod {
  readonly pod: Pod
  readonly statuses: ReadonlyArray<ContainerStatus>
  /** When the kubelet took it on; absent: its first container that runs says it. */
  readonly startTime: string | undefined
}

/** What a kubelet knows of its machine and its pods at one moment. */
export interface SummarySource {
  readonly nodeName: string
  readonly machine: Machine
  readonly config: SwapConfig
  readonly release: Release
  /** The present and the machine's last start, milliseconds of the world's clock. */
  readonly nowMs: number
  readonly bootedMs: number
  /** How far the machine's own clock is ahead. */
  readonly clockSkewMs: number
  /** Absent: what is left of the machine's resources is not measured. */
  readonly readings: HostReadings | undefined
  readonly pods: ReadonlyArray<MeasuredPod>
}

/** A time as the machine's own clock shows it. */
export const timeOf = ({ clockSkewMs }: SummarySource, atMs: number): string => formatTime(atMs + clockSkewMs)

/** Stats are whole numbers from 0 on. */
export const wholeAmount = (amount: number): number => Math.max(0, Math.trunc(amount))

export interface Figures {
  readonly time: string
  readonly available: number
  readonly capacity: number
  readonly used: number
}

/** What was measured for an eviction signal; undefined: nothing. */
export const figuresOf = (source: SummarySource, signal: string): Figures | undefined => {
  const reading: ResourceReading | undefined = source.readings?.signals[signal]
  if (reading === undefined) return undefined
  const available = wholeAmount(reading.available)
  const capacity = wholeAmount(reading.capacity)
  return { time: timeOf(source, reading.atMs), available, capacity, used: wholeAmount(capacity - available) }
}

/** The size of a filesystem and what is left of it; undefined: it was not measured. */
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

/** A filesystem with what of it one thing uses, in upstream's order of fields. */
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
