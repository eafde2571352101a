import {
  annotationProvisionedBy,
  annotationSelectedNode,
  annotationStorageProvisioner,
  finalizerProvisioner,
  noProvisioner,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  waitsForConsumer
} from "@rollcall/api"

/** Whether a driver of this name is one's own. */
export type Serves = (driver: string) => boolean

/**
 * The driver that is to make a volume for a claim now, if it is one's own.
 * Upstream: sig-storage-lib-external-provisioner controller/controller.go shouldProvision.
 */
export const driverAskedBy = (
  { metadata, spec }: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  serves: Serves
): string | undefined => {
  const driver = metadata.annotations?.[annotationStorageProvisioner] ?? ""
  if (driver === "" || driver === noProvisioner || !serves(driver) || storageClass === undefined) return undefined
  if (spec?.volumeName || metadata.deletionTimestamp !== undefined) return undefined
  return waitsForConsumer(storageClass) && !metadata.annotations?.[annotationSelectedNode] ? undefined : driver
}

/** What becomes of a volume: nothing yet, or it is deleted, or it may go as far as its driver is concerned. */
export type VolumeEnd = "stays" | "delete" | "let go"

/** Upstream: shouldDelete, and the finalizer of KEP-2644 (reclaim policies are honoured whichever of the two is deleted first). */
export const volumeEnd = ({ metadata, spec, status }: PersistentVolume, serves: Serves): VolumeEnd => {
  if (!serves(metadata.annotations?.[annotationProvisionedBy] ?? "") || status?.phase === "Bound") return "stays"
  const isToGo = metadata.deletionTimestamp !== undefined
  if (isToGo) return metadata.finalizers?.includes(finalizerProvisioner) === true ? "let go" : "stays"
  return status?.phase === "Released" && spec?.persistentVolumeReclaimPolicy === "Delete" ? "delete" : "stays"
}
