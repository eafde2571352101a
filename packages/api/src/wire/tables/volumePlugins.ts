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
export const volumePlugins: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
AWSElasticBlockStoreVolumeSource
  volumeID 1 string required
  fsType 2 string
  partition 3 int32
  readOnly 4 bool
AzureDiskVolumeSource
  diskName 1 string required
  diskURI 2 string required
  cachingMode 3 string pointer enum=None|ReadOnly|ReadWrite default=ReadWrite
  fsType 4 string pointer default=ext4
  readOnly 5 bool pointer default=false
  kind 6 string pointer enum=Dedicated|Managed|Shared default=Shared
AzureFileVolumeSource
  secretName 1 string required
  shareName 2 string required
  readOnly 3 bool
CephFSVolumeSource
  monitors 1 []string required
  path 2 string
  user 3 string
  secretFile 4 string
  secretRef 5 LocalObjectReference
  readOnly 6 bool
CinderVolumeSource
  volumeID 1 string required
  fsType 2 string
  readOnly 3 bool
  secretRef 4 LocalObjectReference
FCVolumeSource
  targetWWNs 1 []string
  lun 2 int32 pointer
  fsType 3 string
  readOnly 4 bool
  wwids 5 []string
FlexVolumeSource
  driver 1 string required
  fsType 2 string
  secretRef 3 LocalObjectReference
  readOnly 4 bool
  options 5 map[string]string
FlockerVolumeSource
  datasetName 1 string
  datasetUUID 2 string
GCEPersistentDiskVolumeSource
  pdName 1 string required
  fsType 2 string
  partition 3 int32
  readOnly 4 bool
GlusterfsVolumeSource
  endpoints 1 string required
  path 2 string required
  readOnly 3 bool
ISCSIVolumeSource
  targetPortal 1 string required
  iqn 2 string required
  lun 3 int32 required
  iscsiInterface 4 string default=default
  fsType 5 string
  readOnly 6 bool
  portals 7 []string
  chapAuthDiscovery 8 bool
  chapAuthSession 11 bool
  secretRef 10 LocalObjectReference
  initiatorName 12 string pointer
NFSVolumeSource
  server 1 string required
  path 2 string required
  readOnly 3 bool
PhotonPersistentDiskVolumeSource
  pdID 1 string required
  fsType 2 string
PortworxVolumeSource
  volumeID 1 string required
  fsType 2 string
  readOnly 3 bool
QuobyteVolumeSource
  registry 1 string required
  volume 2 string required
  readOnly 3 bool
  user 4 string
  group 5 string
  tenant 6 string
RBDVolumeSource
  monitors 1 []string required
  image 2 string required
  fsType 3 string
  pool 4 string default=rbd
  user 5 string default=admin
  keyring 6 string default=/etc/ceph/keyring
  secretRef 7 LocalObjectReference
  readOnly 8 bool
ScaleIOVolumeSource
  gateway 1 string required
  system 2 string required
  secretRef 3 LocalObjectReference required
  sslEnabled 4 bool
  protectionDomain 5 string
  storagePool 6 string
  storageMode 7 string default=ThinProvisioned
  volumeName 8 string
  fsType 9 string default=xfs
  readOnly 10 bool
StorageOSVolumeSource
  volumeName 1 string
  volumeNamespace 2 string
  fsType 3 string
  readOnly 4 bool
  secretRef 5 LocalObjectReference
VsphereVirtualDiskVolumeSource
  volumePath 1 string required
  fsType 2 string
  storagePolicyName 3 string
  storagePolicyID 4 string
AzureFilePersistentVolumeSource
  secretName 1 string required
  shareName 2 string required
  readOnly 3 bool
  secretNamespace 4 string pointer noOmitEmpty
CephFSPersistentVolumeSource
  monitors 1 []string required
  path 2 string
  user 3 string
  secretFile 4 string
  secretRef 5 SecretReference
  readOnly 6 bool
CinderPersistentVolumeSource
  volumeID 1 string required
  fsType 2 string
  readOnly 3 bool
  secretRef 4 SecretReference
FlexPersistentVolumeSource
  driver 1 string required
  fsType 2 string
  secretRef 3 SecretReference
  readOnly 4 bool
  options 5 map[string]string
GlusterfsPersistentVolumeSource
  endpoints 1 string required
  path 2 string required
  readOnly 3 bool
  endpointsNamespace 4 string pointer
ISCSIPersistentVolumeSource
  targetPortal 1 string required
  iqn 2 string required
  lun 3 int32 required
  iscsiInterface 4 string default=default
  fsType 5 string
  readOnly 6 bool
  portals 7 []string
  chapAuthDiscovery 8 bool
  chapAuthSession 11 bool
  secretRef 10 SecretReference
  initiatorName 12 string pointer
RBDPersistentVolumeSource
  monitors 1 []string required
  image 2 string required
  fsType 3 string
  pool 4 string default=rbd
  user 5 string default=admin
  keyring 6 string default=/etc/ceph/keyring
  secretRef 7 SecretReference
  readOnly 8 bool
ScaleIOPersistentVolumeSource
  gateway 1 string required
  system 2 string required
  secretRef 3 SecretReference required
  sslEnabled 4 bool
  protectionDomain 5 string
  storagePool 6 string
  storageMode 7 string default=ThinProvisioned
  volumeName 8 string
  fsType 9 string default=xfs
  readOnly 10 bool
StorageOSPersistentVolumeSource
  volumeName 1 string
  volumeNamespace 2 string
  fsType 3 string
  readOnly 4 bool
  secretRef 5 ObjectReference
`
}
