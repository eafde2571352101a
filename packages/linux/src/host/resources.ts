import type { HostReadings, HostResources, ResourceReading } from "@rollcall/kubelet"
import { cgroupVersionOf, workingSetOf } from "./cgroup.ts"
import { memoryCapacity } from "./memory.ts"
import { readProcesses } from "./processes.ts"
import { fileSystemOf, type System } from "./System.ts"

/**
 * The machine's resources, by eviction signal. Images and containers share the filesystem of the node's own files.
 * What cannot be read is absent. Upstream: pkg/kubelet/eviction/helpers.go makeSignalObservations.
 */
export const readSignals = (
  system: System,
  rootDir: string,
  atMs: number
): Readonly<Record<string, ResourceReading>> => {
  const memory = memoryCapacity(system)
  const workingSet = workingSetOf(system, cgroupVersionOf(system))
  const available = Math.max(0, memory - workingSet)
  const disk = fileSystemOf(system, rootDir)
  const processes = readProcesses(system)
  const space = disk && { available: disk.available, capacity: disk.capacity, atMs }
  const inodes = disk && { available: disk.inodesFree, capacity: disk.inodes, atMs }
  return {
    "memory.available": { available, capacity: available + workingSet, atMs },
    ...(space && { "nodefs.available": space, "imagefs.available": space, "containerfs.available": space }),
    ...(inodes && { "nodefs.inodesFree": inodes, "imagefs.inodesFree": inodes, "containerfs.inodesFree": inodes }),
    ...(processes && {
      "pid.available": { available: processes.limit - processes.running, capacity: processes.limit, atMs }
    })
  }
}

/** Modelled pods use none of the machine's resources. */
const unknownUsage: HostReadings["podUsage"] = () => undefined

/** The machine's resources for node-pressure eviction, read on each call. */
export const linuxResources = (system: System, rootDir: string, now: () => number): HostResources => ({
  read: () => ({
    signals: readSignals(system, rootDir, now()),
    podUsage: unknownUsage,
    dedicatedImageFs: false,
    splitContainers: false
  })
})
