import { type CSINode, type PersistentVolumeClaim, storageClassNameOf } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import { podVolumesOf } from "../cache/PodVolumes.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import type { Volumes } from "../cache/Volumes.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { mountsClaim } from "./claims.ts"
import { type DriverVolume, diskOnDriver, driverOfProvisioner, isMigratable, volumeOnDriver } from "./inTreeVolumes.ts"

const name = "NodeVolumeLimits"

const tooManyVolumes: Rejection = { code: "Unschedulable", plugin: name, reasons: ["node(s) exceed max volume count"] }

/** `driver/handle` of a volume → its driver. A volume that several pods mount is attached, and counts, once. */
type DriverVolumes = Map<string, string>

const addVolume = (attached: DriverVolumes, volume: DriverVolume | undefined): void => {
  if (volume === undefined || volume.driver === "" || volume.handle === "") return
  attached.set(`${volume.driver}/${volume.handle}`, volume.driver)
}

/** The volume of a claim; for an unbound claim, a stand-in for the volume that its class will provision. */
const volumeOfClaim = (
  claim: PersistentVolumeClaim,
  volumes: Volumes,
  csiNode: CSINode | undefined
): DriverVolume | undefined => {
  const volume = volumes.volume(claim.spec?.volumeName ?? "")
  if (volume !== undefined) return volumeOnDriver(volume, csiNode)
  const storageClass = volumes.storageClass(storageClassNameOf(claim))
  if (storageClass === undefined) return undefined
  const handle = `claim ${claim.metadata.namespace}/${claim.metadata.name}`
  return { driver: driverOfProvisioner(storageClass.provisioner, csiNode), handle }
}

/** Adds the volumes of a pod. Missing claims do not count. */
const addPod = (
  attached: DriverVolumes,
  { namespace, volumes: mounted }: PodInfo,
  volumes: Volumes,
  csiNode: CSINode | undefined
): void => {
  if (mounted === undefined) return
  for (const list of [mounted.claims, mounted.ephemeralClaims]) {
    for (const claimName of list) {
      const claim = volumes.claim(namespace, claimName)
      if (claim !== undefined) addVolume(attached, volumeOfClaim(claim, volumes, csiNode))
    }
  }
  for (const disk of mounted.disks) addVolume(attached, diskOnDriver(disk, csiNode))
}

/** The volumes of the node's pods, and those that VolumeAttachments name, with or without a pod. */
const attachedOn = (node: NodeInfo, volumes: Volumes, csiNode: CSINode | undefined): DriverVolumes => {
  const attached: DriverVolumes = new Map()
  for (const pod of node.podsWithVolumes ?? []) addPod(attached, pod, volumes, csiNode)
  for (const { spec } of volumes.attachmentsOn(node.name)) {
    const volume = volumes.volume(spec.source.persistentVolumeName ?? "")
    if (volume !== undefined) addVolume(attached, volumeOnDriver(volume, csiNode))
  }
  return attached
}

/** Whether the pod's volumes would exceed the limit of a driver on the node. */
const exceedsLimit = (pod: PodInfo, node: NodeInfo, { volumes }: SchedulingCache): boolean => {
  const csiNode = volumes.csiNode(node.name)
  if (csiNode === undefined) return false
  const podVolumes: DriverVolumes = new Map()
  addPod(podVolumes, pod, volumes, csiNode)
  if (podVolumes.size === 0) return false
  const attached = attachedOn(node, volumes, csiNode)
  return (csiNode.spec.drivers ?? []).some(({ allocatable, name: driver }) => {
    const limit = allocatable?.count
    if (limit === undefined) return false
    let added = 0
    for (const [volume, itsDriver] of podVolumes) if (itsDriver === driver && !attached.has(volume)) added++
    if (added === 0) return false
    let existing = 0
    for (const itsDriver of attached.values()) if (itsDriver === driver) existing++
    return existing + added > limit
  })
}

/**
 * Whether a driver has a higher limit than before. As upstream, a missing limit or driver counts as a limit of 0.
 */
const hasHigherLimit = (
  { spec: { drivers: before = [] } }: CSINode,
  { spec: { drivers: after = [] } }: CSINode
): boolean =>
  after.some(({ allocatable, name: driver }) => {
    const limit = before.find((other) => other.name === driver)?.allocatable?.count ?? 0
    return (allocatable?.count ?? 0) > limit
  })

/**
 * Filters nodes to which more volumes of a CSI driver would be attached than their CSINode allows. A node without
 * CSINode has no limits. Upstream: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
 */
export const nodeVolumeLimits: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    const { claims = [], disks = [], ephemeralClaims = [] } = pod.volumes ?? {}
    if (claims.length + ephemeralClaims.length === 0 && !disks.some(isMigratable)) return skip
    return { _tag: "Check", check: (node) => (exceedsLimit(pod, node, cache) ? tooManyVolumes : undefined) }
  },
  hint: (pod, event) => {
    switch (event._tag) {
      case "CSINodeChanged":
        return event.before === undefined || hasHigherLimit(event.before, event.csiNode)
      case "AssignedPodDeleted": {
        const freed = podVolumesOf(event.pod)
        if (freed === undefined) return false
        return freed.claims.length + freed.ephemeralClaims.length > 0 || freed.disks.some(isMigratable)
      }
      case "ClaimChanged":
        return event.before === undefined && mountsClaim(pod, event.claim)
      case "AttachmentDeleted":
        return pod.volumes !== undefined
      default:
        return false
    }
  }
}
