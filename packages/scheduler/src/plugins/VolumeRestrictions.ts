import type { PodInfo } from "../cache/CacheRecords.ts"
import type { InlineDisk } from "../cache/PodVolumes.ts"
import { podVolumesOf } from "../cache/PodVolumes.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { claimNotFound } from "./claims.ts"

const name = "VolumeRestrictions"

const diskTaken: Rejection = { code: "Unschedulable", plugin: name, reasons: ["node(s) had no available disk"] }

const claimTaken: Rejection = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"]
}

type Attributes = InlineDisk["attributes"]

const texts = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const bothReadOnly = (left: Attributes, right: Attributes): boolean => left.readOnly === true && right.readOnly === true

const isSameImage = (left: Attributes, right: Attributes): boolean =>
  texts(left.monitors).some((monitor) => texts(right.monitors).includes(monitor)) &&
  (left.pool ?? "rbd") === (right.pool ?? "rbd") &&
  left.image === right.image

/** Whether two pods on one node cannot both use the disks: most can be shared only for reading. */
const collide = (left: InlineDisk, right: InlineDisk): boolean => {
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

const anyCollide = (mine: ReadonlyArray<InlineDisk>, others: ReadonlyArray<InlineDisk> = []): boolean =>
  mine.some((disk) => others.some((other) => collide(disk, other)))

const isRestricted = ({ source }: InlineDisk): boolean =>
  source === "awsElasticBlockStore" || source === "gcePersistentDisk" || source === "iscsi" || source === "rbd"

/** Whether a ReadWriteOncePod claim is in use; or the rejection for an invalid claim. */
const findTaken = (
  { namespace }: PodInfo,
  claims: ReadonlyArray<string>,
  { volumes }: SchedulingCache
): boolean | Rejection => {
  let taken = false
  for (const claimName of volumes.isEmpty ? [] : claims) {
    const claim = volumes.claim(namespace, claimName)
    if (claim === undefined) return claimNotFound(name, claimName)
    const alone = claim.spec?.accessModes?.includes("ReadWriteOncePod") === true
    taken ||= alone && volumes.isUsed(namespace, claimName)
  }
  return taken
}

/**
 * Keeps pods that cannot share a volume off the same node: ReadWriteOncePod claims, and inline disks.
 * Upstream: pkg/scheduler/framework/plugins/volumerestrictions.
 */
export const volumeRestrictions: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    if (pod.volumes === undefined) return skip
    const taken = findTaken(pod, pod.volumes.claims, cache)
    if (typeof taken === "object") return { _tag: "Reject", rejection: taken }
    const disks = pod.volumes.disks.filter(isRestricted)
    if (disks.length === 0 && !taken) return skip
    return {
      _tag: "Check",
      check: ({ podsWithVolumes }) => {
        if (disks.length > 0 && podsWithVolumes !== undefined) {
          for (const { volumes } of podsWithVolumes) if (anyCollide(disks, volumes?.disks)) return diskTaken
        }
        return taken ? claimTaken : undefined
      }
    }
  },
  hint: ({ namespace, volumes }, event) => {
    const { claims = [], disks = [] } = volumes ?? {}
    switch (event._tag) {
      case "NodeAdded":
        return true
      case "AssignedPodDeleted": {
        if ((event.pod.metadata.namespace ?? "default") !== namespace) return false
        const freed = podVolumesOf(event.pod)
        return anyCollide(disks, freed?.disks) || claims.some((claim) => freed?.claims.includes(claim) === true)
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
  }
}
