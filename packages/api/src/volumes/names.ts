/** Names on the wire that claims and volumes carry. Upstream: component-helpers/storage/volume/pv_helpers.go. */

/** On a claim: it was bound, once and for all. */
export const annotationBindCompleted = "pv.kubernetes.io/bind-completed"
/** On a claim or a volume: not its author bound it, but a controller or the scheduler. */
export const annotationBoundByController = "pv.kubernetes.io/bound-by-controller"
/** On a volume: who made it, and is to delete it. */
export const annotationProvisionedBy = "pv.kubernetes.io/provisioned-by"
/** On a claim: who is to make its volume. */
export const annotationStorageProvisioner = "volume.kubernetes.io/storage-provisioner"
/** The same of old; both are set. */
export const annotationBetaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"
/** On a claim: the node that its volume shall be reached from, as the scheduler chose it. */
export const annotationSelectedNode = "volume.kubernetes.io/selected-node"
/** On a StorageClass: claims without a class get it. */
export const annotationDefaultClass = "storageclass.kubernetes.io/is-default-class"
/** The same of old; one of both is enough. */
export const annotationBetaDefaultClass = "storageclass.beta.kubernetes.io/is-default-class"
/** On a claim or a volume: its class, of old. */
export const annotationBetaStorageClass = "volume.beta.kubernetes.io/storage-class"

export const finalizerClaimProtection = "kubernetes.io/pvc-protection"
export const finalizerVolumeProtection = "kubernetes.io/pv-protection"
/** On a volume: its storage is there until the provisioner has deleted it. */
export const finalizerProvisioner = "external-provisioner.volume.kubernetes.io/finalizer"

/** The provisioner of classes whose volumes somebody makes by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner"
