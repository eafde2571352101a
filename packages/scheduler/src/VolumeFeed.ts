import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment
} from "@rollcall/api"
import type { InformerHandler } from "@rollcall/cluster"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { SchedulingEvent } from "./queue/SchedulingEvent.ts"

export interface VolumeFeedParts {
  readonly cache: SchedulingCache
  /** Requeues the pods that the event could make schedulable. */
  readonly tell: (event: SchedulingEvent) => void
}

interface Kept<A> {
  readonly set: (object: A, isGone: boolean) => void
  readonly changed?: (before: A | undefined, object: A) => void
  readonly gone?: (object: A) => void
}

/** A handler that mirrors each object while it exists, and passes on its events. */
const kept = <A>({ changed, gone, set }: Kept<A>): InformerHandler<A> => ({
  onAdd: (object) => {
    set(object, false)
    changed?.(undefined, object)
  },
  onUpdate: (before, object) => {
    set(object, false)
    changed?.(before, object)
  },
  onDelete: (object) => {
    set(object, true)
    gone?.(object)
  }
})

/** The handlers for volumes and related objects. Upstream: pkg/scheduler/eventhandlers.go. */
export const volumeFeed = ({ cache, tell }: VolumeFeedParts) => ({
  volumes: kept<PersistentVolume>({
    set: (volume, isGone) => cache.setVolume(volume.metadata.name ?? "", isGone ? undefined : volume),
    changed: (before, volume) => tell({ _tag: "VolumeChanged", before, volume })
  }),
  claims: kept<PersistentVolumeClaim>({
    set: (claim, isGone) =>
      cache.setClaim(claim.metadata.namespace ?? "", claim.metadata.name ?? "", isGone ? undefined : claim),
    changed: (before, claim) => tell({ _tag: "ClaimChanged", before, claim })
  }),
  storageClasses: kept<StorageClass>({
    set: (storageClass, isGone) =>
      cache.setStorageClass(storageClass.metadata.name ?? "", isGone ? undefined : storageClass),
    changed: (before, storageClass) => tell({ _tag: "StorageClassChanged", before, storageClass })
  }),
  csiNodes: kept<CSINode>({
    set: (csiNode, isGone) => cache.setCSINode(csiNode.metadata.name ?? "", isGone ? undefined : csiNode),
    changed: (before, csiNode) => tell({ _tag: "CSINodeChanged", before, csiNode })
  }),
  csiDrivers: kept<CSIDriver>({
    set: (driver, isGone) => cache.setCSIDriver(driver.metadata.name ?? "", isGone ? undefined : driver),
    changed: (before, driver) => {
      if (before !== undefined) tell({ _tag: "CSIDriverUpdated", before, driver })
    }
  }),
  capacities: kept<CSIStorageCapacity>({
    set: (capacity, isGone) => cache.setStorageCapacity(capacity, isGone),
    changed: (before, capacity) => tell({ _tag: "StorageCapacityChanged", before, capacity })
  }),
  attachments: kept<VolumeAttachment>({
    set: (attachment, isGone) => cache.setAttachment(attachment, isGone),
    gone: (attachment) => tell({ _tag: "AttachmentDeleted", attachment })
  })
})
