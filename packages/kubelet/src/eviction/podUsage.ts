import { type Amount, addQuantity, type Pod, podRequests, signOf, type Volume, zeroQuantity } from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import type { FilesystemLayout } from "./containerFs.ts"
import type { EvictionSignal, StarvedResource } from "./Signals.ts"

/** A part of a pod's disk usage: writable layers, logs, or volumes on the node's disk. */
export type DiskPart = "rootfs" | "logs" | "localVolumes"

/** Whether a volume is private to the pod and on the node's disk. Upstream: pkg/volume/util IsLocalEphemeralVolume. */
const isLocalEphemeral = (volume: Volume): boolean =>
  (volume.emptyDir !== undefined && (volume.emptyDir.medium ?? "") === "") ||
  volume.configMap !== undefined ||
  "gitRepo" in volume

const sumOf = <A>(items: Iterable<A>, amountOf: (item: A) => number | undefined): number => {
  let sum = 0
  for (const item of items) sum += amountOf(item) ?? 0
  return sum
}

/** Sums the bytes, or with `inodes` the inodes, of the pod's volumes that `isCounted` selects. */
const volumesUsed = (pod: Pod, usage: PodUsage, isCounted: (volume: Volume) => boolean, inodes: boolean): number =>
  sumOf(pod.spec.volumes ?? [], (volume) => {
    if (!isCounted(volume)) return 0
    const used = usage.volumes?.[volume.name]
    return inodes ? used?.inodesUsed : used?.usedBytes
  })

/**
 * Sums what these parts of a pod use on disk: inodes if that is the resource, and otherwise bytes. Upstream:
 * pkg/kubelet/eviction/helpers.go podDiskUsage.
 */
export const diskUsed = (
  pod: Pod,
  usage: PodUsage,
  parts: ReadonlyArray<DiskPart>,
  resource: StarvedResource
): number => {
  const inodes = resource === "inodes"
  const containers = Object.values(usage.containers ?? {})
  let used = 0
  if (parts.includes("rootfs")) {
    used += sumOf(containers, ({ rootfsBytes, rootfsInodes }) => (inodes ? rootfsInodes : rootfsBytes))
  }
  if (parts.includes("logs")) {
    used += sumOf(containers, ({ logsBytes, logsInodes }) => (inodes ? logsInodes : logsBytes))
  }
  if (parts.includes("localVolumes")) {
    const isCounted = (volume: Volume) => volume.hostPath !== undefined || isLocalEphemeral(volume)
    used += volumesUsed(pod, usage, isCounted, inodes)
  }
  return used
}

/** Returns the bytes that count against a pod's ephemeral-storage limit. */
export const ephemeralStorageUsed = (pod: Pod, usage: PodUsage): number =>
  usage.ephemeralStorageBytes ??
  diskUsed(pod, usage, ["rootfs", "logs"], "ephemeral-storage") + volumesUsed(pod, usage, isLocalEphemeral, false)

const allParts: ReadonlyArray<DiskPart> = ["rootfs", "logs", "localVolumes"]
const withoutRootfs: ReadonlyArray<DiskPart> = ["logs", "localVolumes"]
const onlyRootfs: ReadonlyArray<DiskPart> = ["rootfs"]
const noParts: ReadonlyArray<DiskPart> = []

/**
 * Returns the parts of a pod's disk usage that count for a disk signal. Upstream: pkg/kubelet/eviction/helpers.go
 * buildSignalToRankFunc.
 */
export const diskParts = (
  signal: EvictionSignal,
  { dedicatedImageFs, splitContainers }: FilesystemLayout
): ReadonlyArray<DiskPart> => {
  if (!dedicatedImageFs) return allParts
  if (splitContainers) return signal.startsWith("imagefs.") ? noParts : allParts
  return signal.startsWith("nodefs.") ? withoutRootfs : onlyRootfs
}

const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-")

/**
 * Whether the pod has pod-level resources that a kubelet supports. Upstream: component-helpers/resource
 * IsPodLevelResourcesSet.
 */
const hasPodLevelResources = ({ spec }: Pod): boolean =>
  [spec.resources?.requests, spec.resources?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevel))

/**
 * Returns a pod's request of a resource, as eviction counts it. Pod-level requests replace the containers', even for
 * resources that they do not mention. Overhead is added only to a request that is not zero. Upstream:
 * pkg/api/v1/resource/helpers.go GetResourceRequestQuantity.
 */
export const requestOf = (pod: Pod, resource: StarvedResource, podLevelResources: boolean): Amount => {
  const podLevel = podLevelResources && hasPodLevelResources(pod)
  const requests = podRequests(pod, {
    excludeOverhead: true,
    skipContainerLevelResources: podLevel,
    skipPodLevelResources: !podLevel
  })
  const request = requests[resource]
  if (request === undefined) return zeroQuantity
  const overhead = pod.spec.overhead?.[resource]
  return overhead === undefined || signOf(request) === 0 ? request : addQuantity(request, overhead)
}
