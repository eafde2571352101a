import type { QuantityFormat } from "@rollcall/api"
import type { PressureKind } from "../node/Conditions.ts"

/** The eviction signals, under the names of eviction settings. Upstream: pkg/kubelet/eviction/api/types.go. */
export const evictionSignals = [
  "memory.available",
  "allocatableMemory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "containerfs.available",
  "containerfs.inodesFree",
  "pid.available"
] as const
export type EvictionSignal = (typeof evictionSignals)[number]

/** The resource to reclaim when a signal's threshold is met. */
export type StarvedResource = "memory" | "ephemeral-storage" | "inodes" | "pids"

/** What a signal is about. */
interface SignalFacts {
  readonly condition: PressureKind
  readonly resource: StarvedResource
  /** The format of the signal's quantities. */
  readonly format: QuantityFormat
}

const memory: SignalFacts = { condition: "MemoryPressure", resource: "memory", format: "BinarySI" }
const bytes: SignalFacts = { condition: "DiskPressure", resource: "ephemeral-storage", format: "BinarySI" }
const inodes: SignalFacts = { condition: "DiskPressure", resource: "inodes", format: "DecimalSI" }

/** The properties of each signal. Upstream: pkg/kubelet/eviction/helpers.go signalToNodeCondition, signalToResource. */
export const signalFacts: Readonly<Record<EvictionSignal, SignalFacts>> = {
  "memory.available": memory,
  "allocatableMemory.available": memory,
  "nodefs.available": bytes,
  "nodefs.inodesFree": inodes,
  "imagefs.available": bytes,
  "imagefs.inodesFree": inodes,
  "containerfs.available": bytes,
  "containerfs.inodesFree": inodes,
  "pid.available": { condition: "PIDPressure", resource: "pids", format: "DecimalSI" }
}

export const isEvictionSignal = (name: string): name is EvictionSignal => Object.hasOwn(signalFacts, name)

export const isMemorySignal = (signal: EvictionSignal): boolean => signalFacts[signal].resource === "memory"

const linuxDefaults: Readonly<Partial<Record<EvictionSignal, string>>> = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%"
}
const windowsDefaults: Readonly<Partial<Record<EvictionSignal, string>>> = {
  "memory.available": "500Mi",
  "nodefs.available": "10%",
  "imagefs.available": "15%"
}

/** Returns the default of `evictionHard`. Upstream: pkg/kubelet/eviction/defaults_{linux,windows,others}.go. */
export const evictionHardDefaults = (operatingSystem = "linux"): Readonly<Record<string, string>> =>
  operatingSystem === "windows" ? windowsDefaults : linuxDefaults
