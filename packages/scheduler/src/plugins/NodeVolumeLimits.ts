import { type CSINode, type PersistentVolumeClaim, storageClassNameOf } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import { podVolumesOf } from "../cache/PodVolumes.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import type { Volumes } from "../cache/Volumes.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { mounts } from "./claims.ts"
import { type DriverVolume, diskOnDriver, driverOfProvisioner, isMigratable, volumeOnDriver } from "./inTreeVolumes.ts"

const name = "NodeVolumeLimits"

const full: Rejection = { code: "Unschedulable", plugin: name, reasons: ["node(s) exceed max volume count"] }

/** Volumes by driver and handle: one that several pods mount is attached once. */
type Attached = Map<string, string>

const attach = (attached: Attached, volume: DriverVolume | undefined): void => {
  if (volume === undefined || volume.driver === "" || volume.handle === "") return
  attached.set(`${volume.driver}/${volume.handle}`, volume.driver)
}

/** The volume of a claim; for an unbound claim, the volume that its class will provision. */
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

/** Adds the volumes of a pod. Missing claims count for nothing. */
const addPod = (
  attached: Attached,
  { namespace, volumes: mounted }: PodInfo,
  volumes: Volumes,
  csiNode: CSINode | undefined
): void => {
  if (mounted === undefined) return
  for (const list of [mounted.claims, mounted.ephemeralClaims]) {
    for (const claimName of list) {
      const claim = volumes.claim(namespace, claimName)
      if (claim !== undefined) attach(attached, volumeOfClaim(claim, volumes, csiNode))
    }
  }
  for (const disk of mounted.disks) attach(attached, diskOnDriver(disk, csiNode))
}

/** The volumes of the node's pods, and those that are attached without a pod. */
const attachedOn = (node: NodeInfo, volumes: Volumes, csiNode: CSINode | undefined): Attached => {
  const attached: Attached = new Map()
  for (const pod of node.podsWithVolumes ?? []) addPod(attached, pod, volumes, csiNode)
  for (const { spec } of volumes.attachmentsOn(node.name)) {
    const volume = volumes.volume(spec.source.persistentVolumeName ?? "")
    if (volume !== undefined) attach(attached, volumeOnDriver(volume, csiNode))
  }
  return attached
}

const exceeds = (pod: PodInfo, node: NodeInfo, { volumes }: SchedulingCache): boolean => {
  const csiNode = volumes.csiNode(node.name)
  if (csiNode === undefined) return false
  const wanted: Attached = new Map()
  addPod(wanted, pod, volumes, csiNode)
  if (wanted.size === 0) return false
  const attached = attachedOn(node, volumes, csiNode)
  return (csiNode.spec.drivers ?? []).some(({ allocatable, name: driver }) => {
    const limit = allocatable?.count
    if (limit === undefined) return false
    let added = 0
    for (const [volume, of] of wanted) if (of === driver && !attached.has(volume)) added++
    if (added === 0) return false
    let there = 0
    for (const of of attached.values()) if (of === driver) there++
    return there + added > limit
  })
}

/**
 * Whether some driver has a higher limit than before; as upstream, a missing limit or driver counts as a limit of 0.
 */
const hasGrown = ({ spec: { drivers: before = [] } }: CSINode, { spec: { drivers: after = [] } }: CSINode): boolean =>
  after.some(({ allocatable, name: driver }) => {
    const limit = before.find((other) => other.name === driver)?.allocatable?.count ?? 0
    return (allocatable?.count ?? 0) > limit
  })

/**
 * A node takes as many volumes of a CSI driver as its CSINode allows; without one it has no limits.
 * Upstream: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
 */
export const nodeVolumeLimits: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    const { claims = [], disks = [], ephemeralClaims = [] } = pod.volumes ?? {}
    if (claims.length + ephemeralClaims.length === 0 && !disks.some(isMigratable)) return skip
    return { _tag: "Check", check: (node) => (exceeds(pod, node, cache) ? full : undefined) }
  },
  hint: (pod, event) => {
    switch (event._tag) {
      case "CSINodeChanged":
        return event.before === undefined || hasGrown(event.before, event.csiNode)
      case "AssignedPodDeleted": {
        const freed = podVolumesOf(event.pod)
        if (freed === undefined) return false
        return freed.claims.length + freed.ephemeralClaims.length > 0 || freed.disks.some(isMigratable)
      }
      case "ClaimChanged":
        return event.before === undefined && mounts(pod, event.claim)
      case "AttachmentDeleted":
        return pod.volumes !== undefined
      default:
        return false
    }
  }
}
