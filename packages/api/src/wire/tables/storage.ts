import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/storage/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const storage: Table = {
  package: "io.k8s.api.storage.v1",
  group: "storage.k8s.io",
  text: `
VolumeAttachment kind list # Requests that a volume is attached to a node, and reports whether it is.
  metadata 1 meta.ObjectMeta &
  spec 2 VolumeAttachmentSpec ! &
  status 3 VolumeAttachmentStatus &
VolumeAttachmentSpec
  attacher 1 string !
  source 2 VolumeAttachmentSource ! &
  nodeName 3 string !
VolumeAttachmentSource
  persistentVolumeName 1 string *
  inlineVolumeSpec 2 core.PersistentVolumeSpec
VolumeAttachmentStatus
  attached 1 bool !
  attachmentMetadata 2 {}string
  attachError 3 VolumeError
  detachError 4 VolumeError
VolumeError
  time 1 Time
  message 2 string
  errorCode 3 int32 *
CSINode kind list # The storage drivers of a node.
  metadata 1 meta.ObjectMeta &
  spec 2 CSINodeSpec ! &
CSINodeSpec
  drivers 1 []CSINodeDriver ! by(name) merge(name)
CSINodeDriver
  name 1 string !
  nodeID 2 string !
  topologyKeys 3 []string
  allocatable 4 VolumeNodeResources
VolumeNodeResources
  count 1 int32 *
CSIDriver kind list # The features that a storage driver requires of Kubernetes.
  metadata 1 meta.ObjectMeta &
  spec 2 CSIDriverSpec ! &
CSIDriverSpec
  attachRequired 1 bool *
  podInfoOnMount 2 bool *
  volumeLifecycleModes 3 []string set
  storageCapacity 4 bool *
  fsGroupPolicy 5 string *
  tokenRequests 6 []TokenRequest
  requiresRepublish 7 bool *
  seLinuxMount 8 bool *
  nodeAllocatableUpdatePeriodSeconds 9 int64 *
  serviceAccountTokenInSecrets 10 bool *
  preventPodSchedulingIfMissing 11 bool *
TokenRequest # Requests a token for a service account.
  audience 1 string !
  expirationSeconds 2 int64 *
CSIStorageCapacity kind list # The free capacity of a storage class in one part of the cluster.
  metadata 1 meta.ObjectMeta &
  nodeTopology 2 meta.LabelSelector
  storageClassName 3 string !
  capacity 4 Quantity *
  maximumVolumeSize 5 Quantity *
StorageClass kind list # A class of volumes that a provisioner creates on demand.
  metadata 1 meta.ObjectMeta &
  provisioner 2 string !
  parameters 3 {}string
  reclaimPolicy 4 string * enum(Delete|Recycle|Retain)
  mountOptions 5 []string
  allowVolumeExpansion 6 bool *
  volumeBindingMode 7 string * enum(Immediate|WaitForFirstConsumer)
  allowedTopologies 8 []core.TopologySelectorTerm
VolumeAttributesClass kind list # Attributes of volumes that can be changed while the volumes are in use.
  metadata 1 meta.ObjectMeta &
  driverName 2 string !
  parameters 3 {}string
`
}
