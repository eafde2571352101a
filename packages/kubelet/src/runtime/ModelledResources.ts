import type { ResourceList } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"
import type { HostReadings, HostResources, PodUsage, ResourceReading } from "./NodeHost.ts"
import { bytesOf } from "./PodBehaviour.ts"

/** The bytes for each inode, as in ext4. */
const BYTES_PER_INODE = 16_384
/** The limit of processes: `kernel.pid_max` of a large machine. */
const MAX_PROCESSES = 4_194_304

const sumOf = (usages: Iterable<PodUsage>, amountOf: (usage: PodUsage) => number): number => {
  let sum = 0
  for (const usage of usages) sum += amountOf(usage)
  return sum
}

const diskOf = ({ containers = {} }: PodUsage): number =>
  Object.values(containers).reduce((sum, { logsBytes = 0, rootfsBytes = 0 }) => sum + rootfsBytes + logsBytes, 0)

const swapOf = ({ containers = {} }: PodUsage): number =>
  Object.values(containers).reduce((sum, { swapBytes = 0 }) => sum + swapBytes, 0)

/**
 * The available resources of a modelled machine: its capacity less the usage of the machine itself and its pods, or a
 * fixed amount regardless of usage. It reports its changes, so that no polling is needed.
 */
export class ModelledResources implements HostResources {
  private readonly clock: Pick<TimersShape, "now">
  private readonly capacity: ResourceList
  private readonly systemMemory: string
  private readonly podPidsLimit: number
  /** What the images on the disk take. */
  private imageBytes = 0
  private readonly usages = new Map<string, PodUsage>()
  private readonly fixedAmounts = new Map<string, string>()
  private readonly listeners: Array<() => void> = []

  constructor(
    clock: Pick<TimersShape, "now">,
    capacity: ResourceList,
    systemMemory: string,
    podPidsLimit = Number.POSITIVE_INFINITY
  ) {
    this.clock = clock
    this.capacity = capacity
    this.systemMemory = systemMemory
    this.podPidsLimit = podPidsLimit
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener)
  }

  setPodUsage(uid: string, usage: PodUsage | undefined): void {
    if (usage === undefined) {
      if (!this.usages.delete(uid)) return
    } else this.usages.set(uid, this.withinLimit(usage))
    this.notify()
  }

  /** A pod at its limit of processes cannot start any more. */
  private withinLimit(usage: PodUsage): PodUsage {
    const { processes = 0 } = usage
    return processes > this.podPidsLimit ? { ...usage, processes: this.podPidsLimit } : usage
  }

  setImageBytes(bytes: number): void {
    if (bytes === this.imageBytes) return
    this.imageBytes = bytes
    this.notify()
  }

  /** Drops the usage of all pods, because a reboot has ended all processes. */
  clear(): void {
    this.usages.clear()
  }

  setAvailable(signal: string, quantity: string | undefined): void {
    if (quantity === undefined) this.fixedAmounts.delete(signal)
    else this.fixedAmounts.set(signal, quantity)
    this.notify()
  }

  private notify(): void {
    for (const listener of this.listeners) listener()
  }

  read(): HostReadings {
    const usages = new Map(this.usages)
    const memory = bytesOf(String(this.capacity.memory ?? 0))
    const disk = bytesOf(String(this.capacity["ephemeral-storage"] ?? 0))
    const inodes = Math.floor(disk / BYTES_PER_INODE)
    const podMemory = sumOf(usages.values(), ({ memoryBytes = 0 }) => memoryBytes)
    const diskLeft = disk - this.imageBytes - sumOf(usages.values(), diskOf)
    const processes = sumOf(usages.values(), ({ processes = 0 }) => processes)
    return {
      signals: {
        ...this.reading("memory.available", memory - bytesOf(this.systemMemory) - podMemory, memory),
        ...this.reading("nodefs.available", diskLeft, disk),
        ...this.reading("nodefs.inodesFree", inodes, inodes),
        ...this.reading("imagefs.available", diskLeft, disk),
        ...this.reading("imagefs.inodesFree", inodes, inodes),
        ...this.reading("pid.available", MAX_PROCESSES - processes, MAX_PROCESSES),
        ...(this.fixedAmounts.has("allocatableMemory.available")
          ? this.reading("allocatableMemory.available", 0, memory)
          : {})
      },
      podUsage: (uid) => usages.get(uid),
      swapUsedBytes: sumOf(usages.values(), swapOf),
      dedicatedImageFs: false,
      splitContainers: false
    }
  }

  private reading(signal: string, left: number, capacity: number): Readonly<Record<string, ResourceReading>> {
    const fixedAmounts = this.fixedAmounts.get(signal)
    const available = fixedAmounts === undefined ? Math.max(0, left) : bytesOf(fixedAmounts)
    return { [signal]: { available, capacity, atMs: this.clock.now() } }
  }
}
