import {
  annotationBetaStorageProvisioner,
  annotationMigratedTo,
  annotationProvisionedBy,
  annotationStorageProvisioner,
  finalizerInTreeVolume,
  finalizerProvisioner,
  type PersistentVolume,
  type PersistentVolumeClaim
} from "@rollcall/api"
import { hasFinalizer, withFinalizer, withoutFinalizer } from "../protection/finalizers.ts"
import { successorOf } from "./provisioners.ts"

/*
 * What the binder corrects on claims and volumes before anything else. Each function returns the same object if nothing is wrong.
 * Upstream: pkg/controller/volume/persistentvolume/pv_controller_base.go.
 */

/** The object with the annotation of the driver that replaced its in-tree plugin. Upstream: updateMigrationAnnotations. */
const withSuccessor = <A extends PersistentVolume | PersistentVolumeClaim>(object: A, provisioner: string): A => {
  const { [annotationMigratedTo]: migratedTo, ...annotations } = object.metadata.annotations ?? {}
  const successor = successorOf(provisioner)
  if ((migratedTo ?? "") === (successor ?? "")) return object
  const migrated = successor === undefined ? {} : { [annotationMigratedTo]: successor }
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...migrated } } }
}

export const annealedClaim = (claim: PersistentVolumeClaim): PersistentVolumeClaim => {
  const annotations = claim.metadata.annotations ?? {}
  const provisioner = annotations[annotationStorageProvisioner] ?? annotations[annotationBetaStorageProvisioner]
  return provisioner === undefined ? claim : withSuccessor(claim, provisioner)
}

const withFinalizerIf = (isWanted: boolean, volume: PersistentVolume, finalizer: string): PersistentVolume => {
  if (hasFinalizer(volume, finalizer) === isWanted) return volume
  return isWanted ? withFinalizer(volume, finalizer) : withoutFinalizer(volume, finalizer)
}

/** Gives a provisioned volume the annotation, and the finalizers that its plugin and policy need. Upstream: modifyDeletionFinalizers. */
export const annealedVolume = (volume: PersistentVolume): PersistentVolume => {
  const provisioner = volume.metadata.annotations?.[annotationProvisionedBy]
  if (provisioner === undefined) return volume
  const annotated = withSuccessor(volume, provisioner)
  if (successorOf(provisioner) !== undefined) return withFinalizerIf(false, annotated, finalizerInTreeVolume)
  if (!provisioner.startsWith("kubernetes.io/")) return annotated
  const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === "Delete"
  return withFinalizerIf(false, withFinalizerIf(isDeleted, annotated, finalizerInTreeVolume), finalizerProvisioner)
}
