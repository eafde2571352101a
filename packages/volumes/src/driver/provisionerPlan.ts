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

/** Whether the modelled driver replaces the driver of this name. */
export type Serves = (driver: string) => boolean

/**
 * The driver that has to provision a volume for the claim now; undefined if none has to, or if the modelled driver does
 * not replace it. Upstream: sig-storage-lib-external-provisioner controller/controller.go shouldProvision.
 */
export const driverToProvision = (
  { metadata, spec }: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  serves: Serves
): string | undefined => {
  const driver = metadata.annotations?.[annotationStorageProvisioner] ?? ""
  if (driver === "" || driver === noProvisioner || !serves(driver) || storageClass === undefined) return undefined
  if (spec?.volumeName || metadata.deletionTimestamp !== undefined) return undefined
  return waitsForConsumer(storageClass) && !metadata.annotations?.[annotationSelectedNode] ? undefined : driver
}

/** What to do with a volume: nothing, delete it, or only remove the driver's finalizer. */
export type VolumeDeletion = "keep" | "delete" | "remove finalizer"

/**
 * What the driver does with a volume. Upstream: shouldDelete, and the finalizer of KEP-2644, with which the reclaim
 * policy is honoured whether the volume or the claim is deleted first.
 */
export const volumeDeletion = ({ metadata, spec, status }: PersistentVolume, serves: Serves): VolumeDeletion => {
  if (!serves(metadata.annotations?.[annotationProvisionedBy] ?? "") || status?.phase === "Bound") return "keep"
  const isTerminating = metadata.deletionTimestamp !== undefined
  if (isTerminating) return metadata.finalizers?.includes(finalizerProvisioner) === true ? "remove finalizer" : "keep"
  return status?.phase === "Released" && spec?.persistentVolumeReclaimPolicy === "Delete" ? "delete" : "keep"
}
