import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const persistentVolumes: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
PersistentVolume kind hasList # A volume of storage in the cluster.
  metadata 1 meta.ObjectMeta byValue
  spec 2 PersistentVolumeSpec byValue
  status 3 PersistentVolumeStatus byValue
PersistentVolumeSpec embeds=PersistentVolumeSource
  capacity 1 map[string]Quantity
  gcePersistentDisk 2.1 GCEPersistentDiskVolumeSource
  awsElasticBlockStore 2.2 AWSElasticBlockStoreVolumeSource
  hostPath 2.3 HostPathVolumeSource
  glusterfs 2.4 GlusterfsPersistentVolumeSource
  nfs 2.5 NFSVolumeSource
  rbd 2.6 RBDPersistentVolumeSource
  iscsi 2.7 ISCSIPersistentVolumeSource
  cinder 2.8 CinderPersistentVolumeSource
  cephfs 2.9 CephFSPersistentVolumeSource
  fc 2.10 FCVolumeSource
  flocker 2.11 FlockerVolumeSource
  flexVolume 2.12 FlexPersistentVolumeSource
  azureFile 2.13 AzureFilePersistentVolumeSource
  vsphereVolume 2.14 VsphereVirtualDiskVolumeSource
  quobyte 2.15 QuobyteVolumeSource
  azureDisk 2.16 AzureDiskVolumeSource
  photonPersistentDisk 2.17 PhotonPersistentDiskVolumeSource
  portworxVolume 2.18 PortworxVolumeSource
  scaleIO 2.19 ScaleIOPersistentVolumeSource
  local 2.20 LocalVolumeSource
  storageos 2.21 StorageOSPersistentVolumeSource
  csi 2.22 CSIPersistentVolumeSource
  accessModes 3 []string enum=ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
  claimRef 4 ObjectReference mapType=granular
  persistentVolumeReclaimPolicy 5 string enum=Delete|Recycle|Retain
  storageClassName 6 string
  mountOptions 7 []string
  volumeMode 8 string pointer enum=Block|Filesystem
  nodeAffinity 9 VolumeNodeAffinity
  volumeAttributesClassName 10 string pointer
PersistentVolumeStatus
  phase 1 string enum=Available|Bound|Failed|Pending|Released
  message 2 string
  reason 3 string
  lastPhaseTransitionTime 4 Time pointer
VolumeNodeAffinity
  required 1 NodeSelector
PersistentVolumeClaim kind hasList # A request for storage.
  metadata 1 meta.ObjectMeta byValue
  spec 2 PersistentVolumeClaimSpec byValue
  status 3 PersistentVolumeClaimStatus byValue
PersistentVolumeClaimSpec
  accessModes 1 []string enum=ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
  selector 4 meta.LabelSelector
  resources 2 VolumeResourceRequirements byValue
  volumeName 3 string
  storageClassName 5 string pointer
  volumeMode 6 string pointer enum=Block|Filesystem
  dataSource 7 TypedLocalObjectReference
  dataSourceRef 8 TypedObjectReference
  volumeAttributesClassName 9 string pointer
PersistentVolumeClaimStatus
  phase 1 string enum=Bound|Lost|Pending
  accessModes 2 []string enum=ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
  capacity 3 map[string]Quantity
  conditions 4 []PersistentVolumeClaimCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
  allocatedResources 5 map[string]Quantity
  allocatedResourceStatuses 7 map[string]string mapType=granular enum=ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending
  currentVolumeAttributesClassName 8 string pointer
  modifyVolumeStatus 9 ModifyVolumeStatus
PersistentVolumeClaimCondition
  type 1 string required
  status 2 string required
  lastProbeTime 3 Time
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
ModifyVolumeStatus
  targetVolumeAttributesClassName 1 string
  status 2 string required enum=InProgress|Infeasible|Pending
VolumeResourceRequirements
  limits 1 map[string]Quantity
  requests 2 map[string]Quantity
TypedLocalObjectReference structType=atomic
  apiGroup 1 string pointer noOmitEmpty
  kind 2 string required
  name 3 string required
TypedObjectReference
  apiGroup 1 string pointer noOmitEmpty
  kind 2 string required
  name 3 string required
  namespace 4 string pointer
SecretReference structType=atomic
  name 1 string
  namespace 2 string
CSIPersistentVolumeSource
  driver 1 string required
  volumeHandle 2 string required
  readOnly 3 bool
  fsType 4 string
  volumeAttributes 5 map[string]string
  controllerPublishSecretRef 6 SecretReference
  nodeStageSecretRef 7 SecretReference
  nodePublishSecretRef 8 SecretReference
  controllerExpandSecretRef 9 SecretReference
  nodeExpandSecretRef 10 SecretReference
LocalVolumeSource
  path 1 string required
  fsType 2 string pointer
`
}
