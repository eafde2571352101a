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

/** What the handlers update, and whom they tell. */
export interface VolumeFeedParts {
  readonly cache: SchedulingCache
  /** Called after the cache is updated, for events that could make a pod schedulable. */
  readonly onEvent: (event: SchedulingEvent) => void
}

interface MirrorCallbacks<A> {
  /** Stores each version of an object, or removes it. */
  readonly set: (object: A, isDeleted: boolean) => void
  /** `before` is undefined for a new object. */
  readonly onChanged?: (before: A | undefined, object: A) => void
  readonly onDeleted?: (object: A) => void
}

/** A handler that keeps the cached objects up to date, then reports each event. */
const mirrorHandler = <A>({ onChanged, onDeleted, set }: MirrorCallbacks<A>): InformerHandler<A> => ({
  onAdd: (object) => {
    set(object, false)
    onChanged?.(undefined, object)
  },
  onUpdate: (before, object) => {
    set(object, false)
    onChanged?.(before, object)
  },
  onDelete: (object) => {
    set(object, true)
    onDeleted?.(object)
  }
})

/** The informer handlers for volumes and related objects. Upstream: pkg/scheduler/eventhandlers.go. */
export const volumeFeed = ({ cache, onEvent }: VolumeFeedParts) => ({
  volumes: mirrorHandler<PersistentVolume>({
    set: (volume, isDeleted) => cache.setVolume(volume.metadata.name ?? "", isDeleted ? undefined : volume),
    onChanged: (before, volume) => onEvent({ _tag: "VolumeChanged", before, volume })
  }),
  claims: mirrorHandler<PersistentVolumeClaim>({
    set: (claim, isDeleted) =>
      cache.setClaim(claim.metadata.namespace ?? "", claim.metadata.name ?? "", isDeleted ? undefined : claim),
    onChanged: (before, claim) => onEvent({ _tag: "ClaimChanged", before, claim })
  }),
  storageClasses: mirrorHandler<StorageClass>({
    set: (storageClass, isDeleted) =>
      cache.setStorageClass(storageClass.metadata.name ?? "", isDeleted ? undefined : storageClass),
    onChanged: (before, storageClass) => onEvent({ _tag: "StorageClassChanged", before, storageClass })
  }),
  csiNodes: mirrorHandler<CSINode>({
    set: (csiNode, isDeleted) => cache.setCSINode(csiNode.metadata.name ?? "", isDeleted ? undefined : csiNode),
    onChanged: (before, csiNode) => onEvent({ _tag: "CSINodeChanged", before, csiNode })
  }),
  csiDrivers: mirrorHandler<CSIDriver>({
    set: (driver, isDeleted) => cache.setCSIDriver(driver.metadata.name ?? "", isDeleted ? undefined : driver),
    onChanged: (before, driver) => {
      if (before !== undefined) onEvent({ _tag: "CSIDriverUpdated", before, driver })
    }
  }),
  capacities: mirrorHandler<CSIStorageCapacity>({
    set: (capacity, isDeleted) => cache.setStorageCapacity(capacity, isDeleted),
    onChanged: (before, capacity) => onEvent({ _tag: "StorageCapacityChanged", before, capacity })
  }),
  attachments: mirrorHandler<VolumeAttachment>({
    set: (attachment, isDeleted) => cache.setAttachment(attachment, isDeleted),
    onDeleted: (attachment) => onEvent({ _tag: "AttachmentDeleted", attachment })
  })
})
