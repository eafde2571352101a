import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/storage/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const storage: Table = {
  package: "io.k8s.api.storage.v1",
  group: "storage.k8s.io",
  messages: `
VolumeAttachment kind hasList # Requests that a volume is attached to a node, and reports whether it is.
  metadata 1 meta.ObjectMeta byValue
  spec 2 VolumeAttachmentSpec required byValue
  status 3 VolumeAttachmentStatus byValue
VolumeAttachmentSpec
  attacher 1 string required
  source 2 VolumeAttachmentSource required byValue
  nodeName 3 string required
VolumeAttachmentSource
  persistentVolumeName 1 string pointer
  inlineVolumeSpec 2 core.PersistentVolumeSpec
VolumeAttachmentStatus
  attached 1 bool required
  attachmentMetadata 2 map[string]string
  attachError 3 VolumeError
  detachError 4 VolumeError
VolumeError
  time 1 Time
  message 2 string
  errorCode 3 int32 pointer
CSINode kind hasList # The storage drivers of a node.
  metadata 1 meta.ObjectMeta byValue
  spec 2 CSINodeSpec required byValue
CSINodeSpec
  drivers 1 []CSINodeDriver required listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name
CSINodeDriver
  name 1 string required
  nodeID 2 string required
  topologyKeys 3 []string noOmitEmpty
  allocatable 4 VolumeNodeResources
VolumeNodeResources
  count 1 int32 pointer
CSIDriver kind hasList # The features that a storage driver requires of Kubernetes.
  metadata 1 meta.ObjectMeta byValue
  spec 2 CSIDriverSpec required byValue
CSIDriverSpec
  attachRequired 1 bool pointer
  podInfoOnMount 2 bool pointer
  volumeLifecycleModes 3 []string listType=set
  storageCapacity 4 bool pointer
  fsGroupPolicy 5 string pointer
  tokenRequests 6 []TokenRequest
  requiresRepublish 7 bool pointer
  seLinuxMount 8 bool pointer
  nodeAllocatableUpdatePeriodSeconds 9 int64 pointer
  serviceAccountTokenInSecrets 10 bool pointer
  preventPodSchedulingIfMissing 11 bool pointer
TokenRequest # Requests a token for a service account.
  audience 1 string required
  expirationSeconds 2 int64 pointer
CSIStorageCapacity kind hasList # The free capacity of a storage class in one part of the cluster.
  metadata 1 meta.ObjectMeta byValue
  nodeTopology 2 meta.LabelSelector
  storageClassName 3 string required
  capacity 4 Quantity pointer
  maximumVolumeSize 5 Quantity pointer
StorageClass kind hasList # A class of volumes that a provisioner creates on demand.
  metadata 1 meta.ObjectMeta byValue
  provisioner 2 string required
  parameters 3 map[string]string
  reclaimPolicy 4 string pointer enum=Delete|Recycle|Retain
  mountOptions 5 []string
  allowVolumeExpansion 6 bool pointer
  volumeBindingMode 7 string pointer enum=Immediate|WaitForFirstConsumer
  allowedTopologies 8 []core.TopologySelectorTerm
VolumeAttributesClass kind hasList # Attributes of volumes that can be changed while the volumes are in use.
  metadata 1 meta.ObjectMeta byValue
  driverName 2 string required
  parameters 3 map[string]string
`
}
