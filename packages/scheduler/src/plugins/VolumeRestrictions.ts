import type { PodInfo } from "../cache/CacheRecords.ts"
import type { InlineDisk } from "../cache/PodVolumes.ts"
import { podVolumesOf } from "../cache/PodVolumes.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { claimNotFound } from "./claims.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "VolumeRestrictions"

const diskInUse: Rejection = { code: "Unschedulable", plugin: name, reasons: ["node(s) had no available disk"] }

const claimInUse: Rejection = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"]
}

type Attributes = InlineDisk["attributes"]

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const bothReadOnly = (left: Attributes, right: Attributes): boolean => left.readOnly === true && right.readOnly === true

const isSameImage = (left: Attributes, right: Attributes): boolean =>
  listOf(left.monitors).some((monitor) => listOf(right.monitors).includes(monitor)) &&
  (left.pool ?? "rbd") === (right.pool ?? "rbd") &&
  left.image === right.image

/** Whether two pods on one node cannot both use their disks: they are the same and, mostly, not both read-only. */
const conflict = (left: InlineDisk, right: InlineDisk): boolean => {
  if (left.source !== right.source) return false
  const [mine, other] = [left.attributes, right.attributes]
  switch (left.source) {
    case "awsElasticBlockStore":
      return mine.volumeID === other.volumeID
    case "gcePersistentDisk":
      return mine.pdName === other.pdName && !bothReadOnly(mine, other)
    case "iscsi":
      return mine.iqn === other.iqn && !bothReadOnly(mine, other)
    case "rbd":
      return isSameImage(mine, other) && !bothReadOnly(mine, other)
    default:
      return false
  }
}

const anyConflict = (mine: ReadonlyArray<InlineDisk>, others: ReadonlyArray<InlineDisk> = []): boolean =>
  mine.some((disk) => others.some((other) => conflict(disk, other)))

const isRestricted = ({ source }: InlineDisk): boolean =>
  source === "awsElasticBlockStore" || source === "gcePersistentDisk" || source === "iscsi" || source === "rbd"

/** Whether a claim with ReadWriteOncePod is in use; or the rejection for a missing claim. */
const isClaimInUse = (
  { namespace }: PodInfo,
  claims: ReadonlyArray<string>,
  { volumes }: SchedulingCache
): boolean | Rejection => {
  let isInUse = false
  for (const claimName of volumes.isEmpty ? [] : claims) {
    const claim = volumes.claim(namespace, claimName)
    if (claim === undefined) return claimNotFound(name, claimName)
    const isExclusive = claim.spec?.accessModes?.includes("ReadWriteOncePod") === true
    isInUse ||= isExclusive && volumes.isUsed(namespace, claimName)
  }
  return isInUse
}

/**
 * Keeps pods that cannot share a volume off the same node: ReadWriteOncePod claims, and inline disks.
 * Upstream: pkg/scheduler/framework/plugins/volumerestrictions.
 */
export const volumeRestrictions: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    if (pod.volumes === undefined) return skip
    const inUse = isClaimInUse(pod, pod.volumes.claims, cache)
    if (typeof inUse === "object") return { _tag: "Reject", rejection: inUse }
    const disks = pod.volumes.disks.filter(isRestricted)
    if (disks.length === 0 && !inUse) return skip
    return {
      _tag: "Check",
      check: ({ podsWithVolumes }) => {
        if (disks.length > 0 && podsWithVolumes !== undefined) {
          for (const { volumes } of podsWithVolumes) if (anyConflict(disks, volumes?.disks)) return diskInUse
        }
        return inUse ? claimInUse : undefined
      }
    }
  },
  hint: orTaintChange(({ namespace, volumes }, event) => {
    const { claims = [], disks = [] } = volumes ?? {}
    switch (event._tag) {
      case "NodeAdded":
        return true
      case "AssignedPodDeleted": {
        if ((event.pod.metadata.namespace ?? "default") !== namespace) return false
        const freed = podVolumesOf(event.pod)
        return anyConflict(disks, freed?.disks) || claims.some((claim) => freed?.claims.includes(claim) === true)
      }
      case "ClaimChanged":
        return (
          event.before === undefined &&
          event.claim.metadata.namespace === namespace &&
          claims.includes(event.claim.metadata.name ?? "")
        )
      default:
        return false
    }
  })
}
