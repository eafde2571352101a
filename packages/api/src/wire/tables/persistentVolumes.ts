import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const persistentVolumes: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
PersistentVolume kind list # A volume of storage in the cluster.
  metadata 1 meta.ObjectMeta &
  spec 2 PersistentVolumeSpec &
  status 3 PersistentVolumeStatus &
PersistentVolumeSpec
  capacity 1 {}Quantity
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
  accessModes 3 []string enum(ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod)
  claimRef 4 ObjectReference
  persistentVolumeReclaimPolicy 5 string enum(Delete|Recycle|Retain)
  storageClassName 6 string
  mountOptions 7 []string
  volumeMode 8 string * enum(Block|Filesystem)
  nodeAffinity 9 VolumeNodeAffinity
  volumeAttributesClassName 10 string *
PersistentVolumeStatus
  phase 1 string enum(Available|Bound|Failed|Pending|Released)
  message 2 string
  reason 3 string
  lastPhaseTransitionTime 4 Time *
VolumeNodeAffinity
  required 1 NodeSelector
PersistentVolumeClaim kind list # A request for storage.
  metadata 1 meta.ObjectMeta &
  spec 2 PersistentVolumeClaimSpec &
  status 3 PersistentVolumeClaimStatus &
PersistentVolumeClaimSpec
  accessModes 1 []string enum(ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod)
  selector 4 meta.LabelSelector
  resources 2 VolumeResourceRequirements &
  volumeName 3 string
  storageClassName 5 string *
  volumeMode 6 string * enum(Block|Filesystem)
  dataSource 7 TypedLocalObjectReference
  dataSourceRef 8 TypedObjectReference
  volumeAttributesClassName 9 string *
PersistentVolumeClaimStatus
  phase 1 string enum(Bound|Lost|Pending)
  accessModes 2 []string
  capacity 3 {}Quantity
  conditions 4 []PersistentVolumeClaimCondition by(type) merge(type)
  allocatedResources 5 {}Quantity
  allocatedResourceStatuses 7 {}string
  currentVolumeAttributesClassName 8 string *
  modifyVolumeStatus 9 ModifyVolumeStatus
PersistentVolumeClaimCondition
  type 1 string !
  status 2 string !
  lastProbeTime 3 Time
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
ModifyVolumeStatus
  targetVolumeAttributesClassName 1 string
  status 2 string ! enum(InProgress|Infeasible|Pending)
VolumeResourceRequirements
  limits 1 {}Quantity
  requests 2 {}Quantity
TypedLocalObjectReference atomic
  apiGroup 1 string *
  kind 2 string !
  name 3 string !
TypedObjectReference
  apiGroup 1 string *
  kind 2 string !
  name 3 string !
  namespace 4 string *
SecretReference atomic
  name 1 string
  namespace 2 string
CSIPersistentVolumeSource
  driver 1 string !
  volumeHandle 2 string !
  readOnly 3 bool
  fsType 4 string
  volumeAttributes 5 {}string
  controllerPublishSecretRef 6 SecretReference
  nodeStageSecretRef 7 SecretReference
  nodePublishSecretRef 8 SecretReference
  controllerExpandSecretRef 9 SecretReference
  nodeExpandSecretRef 10 SecretReference
LocalVolumeSource
  path 1 string !
  fsType 2 string *
`
}
