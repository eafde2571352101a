import type { PersistentVolume, PersistentVolumeClaim } from "@rollcall/api"

// What claims and volumes say of each other. Upstream: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go.

/** The claim was bound, once and for all. */
const annotationBindCompleted = "pv.kubernetes.io/bind-completed"
/** The node that a claim's volume shall be reached from. */
export const annotationSelectedNode = "volume.kubernetes.io/selected-node"
/** Not its author bound the volume. */
export const annotationBoundByController = "pv.kubernetes.io/bound-by-controller"
/** The class, of old. */
const annotationClass = "volume.beta.kubernetes.io/storage-class"
/** The provisioner of classes whose volumes somebody makes by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner"

/** The storage class of a claim or a volume; empty when it has none. */
export const classOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.annotations?.[annotationClass] ?? spec?.storageClassName ?? ""

/** Tells claims apart, also from those that had their names before them. */
export const claimKeyOf = ({ metadata }: PersistentVolumeClaim): string =>
  `${metadata.namespace ?? ""}/${metadata.name}/${metadata.uid ?? ""}`

/**
 * True once a claim has its volume and the volume has it. A claim that names a volume but is not bound yet is not; of one whose
 * status says so it is believed, whoever bound it.
 */
export const isFullyBound = ({ metadata, spec, status }: PersistentVolumeClaim): boolean =>
  (spec?.volumeName ?? "") !== "" &&
  (metadata.annotations?.[annotationBindCompleted] !== undefined || status?.phase === "Bound")

/** True if the volume is this claim's, bound or meant for it. */
export const isVolumeOf = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean => {
  const { claimRef } = spec ?? {}
  if (claimRef === undefined || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace)
    return false
  return (claimRef.uid ?? "") === "" || claimRef.uid === metadata.uid
}
