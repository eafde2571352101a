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
export const volumes: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
Volume embeds=VolumeSource
  name 1 string required
  hostPath 2.1 HostPathVolumeSource
  emptyDir 2.2 EmptyDirVolumeSource
  gcePersistentDisk 2.3 GCEPersistentDiskVolumeSource
  awsElasticBlockStore 2.4 AWSElasticBlockStoreVolumeSource
  gitRepo 2.5 GitRepoVolumeSource
  secret 2.6 SecretVolumeSource
  nfs 2.7 NFSVolumeSource
  iscsi 2.8 ISCSIVolumeSource
  glusterfs 2.9 GlusterfsVolumeSource
  persistentVolumeClaim 2.10 PersistentVolumeClaimVolumeSource
  rbd 2.11 RBDVolumeSource
  flexVolume 2.12 FlexVolumeSource
  cinder 2.13 CinderVolumeSource
  cephfs 2.14 CephFSVolumeSource
  flocker 2.15 FlockerVolumeSource
  downwardAPI 2.16 DownwardAPIVolumeSource
  fc 2.17 FCVolumeSource
  azureFile 2.18 AzureFileVolumeSource
  configMap 2.19 ConfigMapVolumeSource
  vsphereVolume 2.20 VsphereVirtualDiskVolumeSource
  quobyte 2.21 QuobyteVolumeSource
  azureDisk 2.22 AzureDiskVolumeSource
  photonPersistentDisk 2.23 PhotonPersistentDiskVolumeSource
  portworxVolume 2.24 PortworxVolumeSource
  scaleIO 2.25 ScaleIOVolumeSource
  projected 2.26 ProjectedVolumeSource
  storageos 2.27 StorageOSVolumeSource
  csi 2.28 CSIVolumeSource
  ephemeral 2.29 EphemeralVolumeSource
  image 2.30 ImageVolumeSource
HostPathVolumeSource
  path 1 string required
  type 2 string pointer enum=|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket
EmptyDirVolumeSource
  medium 1 string
  sizeLimit 2 Quantity pointer
SecretVolumeSource
  secretName 1 string
  items 2 []KeyToPath
  defaultMode 3 int32 pointer
  optional 4 bool pointer
ConfigMapVolumeSource embeds=LocalObjectReference
  name 1.1 string default=""
  items 2 []KeyToPath
  defaultMode 3 int32 pointer
  optional 4 bool pointer
KeyToPath
  key 1 string required
  path 2 string required
  mode 3 int32 pointer
DownwardAPIVolumeSource
  items 1 []DownwardAPIVolumeFile
  defaultMode 2 int32 pointer
DownwardAPIVolumeFile
  path 1 string required
  fieldRef 2 ObjectFieldSelector
  resourceFieldRef 3 ResourceFieldSelector
  mode 4 int32 pointer
PersistentVolumeClaimVolumeSource
  claimName 1 string required
  readOnly 2 bool
ProjectedVolumeSource
  sources 1 []VolumeProjection noOmitEmpty
  defaultMode 2 int32 pointer
VolumeProjection
  secret 1 SecretProjection
  downwardAPI 2 DownwardAPIProjection
  configMap 3 ConfigMapProjection
  serviceAccountToken 4 ServiceAccountTokenProjection
  clusterTrustBundle 5 ClusterTrustBundleProjection
  podCertificate 6 PodCertificateProjection
SecretProjection embeds=LocalObjectReference
  name 1.1 string default=""
  items 2 []KeyToPath
  optional 4 bool pointer
ConfigMapProjection embeds=LocalObjectReference
  name 1.1 string default=""
  items 2 []KeyToPath
  optional 4 bool pointer
DownwardAPIProjection
  items 1 []DownwardAPIVolumeFile
ServiceAccountTokenProjection
  audience 1 string
  expirationSeconds 2 int64 pointer
  path 3 string required
ClusterTrustBundleProjection
  name 1 string pointer
  signerName 2 string pointer
  labelSelector 3 meta.LabelSelector
  optional 5 bool pointer
  path 4 string required
PodCertificateProjection
  signerName 1 string required omitEmpty
  keyType 2 string required omitEmpty
  maxExpirationSeconds 3 int32 pointer
  credentialBundlePath 4 string
  keyPath 5 string
  certificateChainPath 6 string
  userAnnotations 7 map[string]string
CSIVolumeSource
  driver 1 string required
  readOnly 2 bool pointer
  fsType 3 string pointer
  volumeAttributes 4 map[string]string
  nodePublishSecretRef 5 LocalObjectReference
EphemeralVolumeSource
  volumeClaimTemplate 1 PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate
  metadata 1 meta.ObjectMeta byValue
  spec 2 PersistentVolumeClaimSpec required byValue
ImageVolumeSource
  reference 1 string
  pullPolicy 2 string enum=Always|IfNotPresent|Never
GitRepoVolumeSource
  repository 1 string required
  revision 2 string
  directory 3 string
`
}
