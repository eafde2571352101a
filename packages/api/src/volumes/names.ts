/** Annotations, finalizers and names of claims and volumes. Upstream: component-helpers/storage/volume/pv_helpers.go. */

/** Set on a claim when its binding is complete. */
export const annotationBindCompleted = "pv.kubernetes.io/bind-completed"
/** Set on a claim or a volume that a controller or the scheduler bound, not a user. */
export const annotationBoundByController = "pv.kubernetes.io/bound-by-controller"
/** Names, on a volume, the provisioner that created it and will delete it. */
export const annotationProvisionedBy = "pv.kubernetes.io/provisioned-by"
/** Names, on a claim or a volume of an in-tree plugin, the CSI driver that replaced the plugin. */
export const annotationMigratedTo = "pv.kubernetes.io/migrated-to"
/** Names, on a claim, the provisioner that is to create its volume. */
export const annotationStorageProvisioner = "volume.kubernetes.io/storage-provisioner"
/** The legacy name of the same annotation; both are set. */
export const annotationBetaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"
/** Names, on a claim, the node that the scheduler chose and from which the volume must be accessible. */
export const annotationSelectedNode = "volume.kubernetes.io/selected-node"
/** Marks a StorageClass as the default for claims without a class. */
export const annotationDefaultClass = "storageclass.kubernetes.io/is-default-class"
/** The legacy name of the same annotation; one of both suffices. */
export const annotationBetaDefaultClass = "storageclass.beta.kubernetes.io/is-default-class"
/** Names the class of a claim or a volume, in legacy form. */
export const annotationBetaStorageClass = "volume.beta.kubernetes.io/storage-class"

export const finalizerClaimProtection = "kubernetes.io/pvc-protection"
export const finalizerVolumeProtection = "kubernetes.io/pv-protection"
export const finalizerAttributesProtection = "kubernetes.io/vac-protection"
/** Keeps a volume's object until the provisioner has deleted its storage. */
export const finalizerProvisioner = "external-provisioner.volume.kubernetes.io/finalizer"
/** Keeps the object of a volume of an in-tree plugin until the volume binder has deleted its storage. */
export const finalizerInTreeVolume = "kubernetes.io/pv-controller"

/** The provisioner of classes whose volumes are created manually. */
export const noProvisioner = "kubernetes.io/no-provisioner"
