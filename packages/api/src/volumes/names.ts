/** Annotations, finalizers and names of claims and volumes. Upstream: component-helpers/storage/volume/pv_helpers.go. */

/** On a claim: its binding is complete. */
export const annotationBindCompleted = "pv.kubernetes.io/bind-completed"
/** On a claim or a volume: a controller or the scheduler bound it, not a user. */
export const annotationBoundByController = "pv.kubernetes.io/bound-by-controller"
/** On a volume: the provisioner that created it and will delete it. */
export const annotationProvisionedBy = "pv.kubernetes.io/provisioned-by"
/** On a claim: the provisioner that is to create its volume. */
export const annotationStorageProvisioner = "volume.kubernetes.io/storage-provisioner"
/** The legacy name of the same annotation; both are set. */
export const annotationBetaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"
/** On a claim: the node that the scheduler chose, from which its volume must be accessible. */
export const annotationSelectedNode = "volume.kubernetes.io/selected-node"
/** On a StorageClass: it is the default for claims without a class. */
export const annotationDefaultClass = "storageclass.kubernetes.io/is-default-class"
/** The legacy name of the same annotation; one of both suffices. */
export const annotationBetaDefaultClass = "storageclass.beta.kubernetes.io/is-default-class"
/** On a claim or a volume: its class, in legacy form. */
export const annotationBetaStorageClass = "volume.beta.kubernetes.io/storage-class"

export const finalizerClaimProtection = "kubernetes.io/pvc-protection"
export const finalizerVolumeProtection = "kubernetes.io/pv-protection"
/** On a volume: keeps the object until the provisioner has deleted its storage. */
export const finalizerProvisioner = "external-provisioner.volume.kubernetes.io/finalizer"

/** The provisioner of classes whose volumes are created manually. */
export const noProvisioner = "kubernetes.io/no-provisioner"
