import { type Amount, addQuantity, type Pod, podRequests, signOf, type Volume, zeroQuantity } from "@rollcall/api"
import type { PodUsage } from "../runtime/NodeHost.ts"
import type { FilesystemLayout } from "./containerFs.ts"
import type { EvictionSignal, StarvedResource } from "./Signals.ts"

/** The parts of a pod's disk usage. */
export type DiskPart = "rootfs" | "logs" | "localVolumes"

/** Whether a volume is private to the pod and on the node's disk. Upstream: pkg/volume/util IsLocalEphemeralVolume. */
const isLocalEphemeral = (volume: Volume): boolean =>
  (volume.emptyDir !== undefined && (volume.emptyDir.medium ?? "") === "") ||
  volume.configMap !== undefined ||
  "gitRepo" in volume

const sumOf = <A>(items: Iterable<A>, figure: (item: A) => number | undefined): number => {
  let sum = 0
  for (const item of items) sum += figure(item) ?? 0
  return sum
}

const volumesUsed = (pod: Pod, usage: PodUsage, counts: (volume: Volume) => boolean, inodes: boolean): number =>
  sumOf(pod.spec.volumes ?? [], (volume) => {
    if (!counts(volume)) return 0
    const used = usage.volumes?.[volume.name]
    return inodes ? used?.inodesUsed : used?.usedBytes
  })

/** Bytes or inodes of a pod on disk. Upstream: pkg/kubelet/eviction/helpers.go podDiskUsage. */
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
    const counts = (volume: Volume) => volume.hostPath !== undefined || isLocalEphemeral(volume)
    used += volumesUsed(pod, usage, counts, inodes)
  }
  return used
}

/** Bytes that count against a pod's ephemeral-storage limit. */
export const ephemeralStorageUsed = (pod: Pod, usage: PodUsage): number =>
  usage.ephemeralStorageBytes ??
  diskUsed(pod, usage, ["rootfs", "logs"], "ephemeral-storage") + volumesUsed(pod, usage, isLocalEphemeral, false)

const onNodeFs: ReadonlyArray<DiskPart> = ["rootfs", "logs", "localVolumes"]
const withoutRootfs: ReadonlyArray<DiskPart> = ["logs", "localVolumes"]
const onlyRootfs: ReadonlyArray<DiskPart> = ["rootfs"]
const nothing: ReadonlyArray<DiskPart> = []

/**
 * The parts of a pod's disk usage that count for a disk signal. Upstream: pkg/kubelet/eviction/helpers.go
 * buildSignalToRankFunc.
 */
export const diskParts = (
  signal: EvictionSignal,
  { dedicatedImageFs, splitContainers }: FilesystemLayout
): ReadonlyArray<DiskPart> => {
  if (!dedicatedImageFs) return onNodeFs
  if (splitContainers) return signal.startsWith("imagefs.") ? nothing : onNodeFs
  return signal.startsWith("nodefs.") ? withoutRootfs : onlyRootfs
}

const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-")

/**
 * Whether it has pod-level resources; empty ones do not count. Upstream: component-helpers/resource
 * IsPodLevelResourcesSet.
 */
const hasPodLevelResources = ({ spec }: Pod): boolean =>
  [spec.resources?.requests, spec.resources?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevel))

/**
 * A pod's request of a resource, for eviction: pod-level requests replace the containers', even for resources that
 * they lack; overhead is only added to a nonzero request. Upstream: pkg/api/v1/resource/helpers.go
 * GetResourceRequestQuantity.
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
