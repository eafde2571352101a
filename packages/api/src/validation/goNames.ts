/** The Go names of fields that do not follow from their JSON names. */
const goNames: Readonly<Record<string, string>> = {
  apiGroup: "APIGroup",
  apiVersion: "APIVersion",
  awsElasticBlockStore: "AWSElasticBlockStore",
  cel: "CEL",
  cephfs: "CephFS",
  chapAuthDiscovery: "DiscoveryCHAPAuth",
  chapAuthSession: "SessionCHAPAuth",
  csi: "CSI",
  diskURI: "DataDiskURI",
  dnsConfig: "DNSConfig",
  dnsPolicy: "DNSPolicy",
  fc: "FC",
  fsGroup: "FSGroup",
  fsGroupChangePolicy: "FSGroupChangePolicy",
  fsType: "FSType",
  gcePersistentDisk: "GCEPersistentDisk",
  gmsaCredentialSpec: "GMSACredentialSpec",
  gmsaCredentialSpecName: "GMSACredentialSpecName",
  grpc: "GRPC",
  httpGet: "HTTPGet",
  httpHeaders: "HTTPHeaders",
  ip: "IP",
  ips: "IPs",
  iqn: "IQN",
  iscsi: "ISCSI",
  iscsiInterface: "ISCSIInterface",
  nfs: "NFS",
  os: "OS",
  pdName: "PDName",
  rbd: "RBD",
  seLinuxChangePolicy: "SELinuxChangePolicy",
  seLinuxOptions: "SELinuxOptions",
  setHostnameAsFQDN: "SetHostnameAsFQDN",
  sslEnabled: "SSLEnabled",
  storageos: "StorageOS",
  tcpSocket: "TCPSocket",
  tty: "TTY",
  uid: "UID",
  wwids: "WWIDs"
}

const rbdNames: Readonly<Record<string, string>> = {
  monitors: "CephMonitors",
  image: "RBDImage",
  pool: "RBDPool",
  user: "RadosUser"
}

/** Names that only one type has. */
const namesInType: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GlusterfsPersistentVolumeSource: { endpoints: "EndpointsName" },
  GlusterfsVolumeSource: { endpoints: "EndpointsName" },
  RBDPersistentVolumeSource: rbdNames,
  RBDVolumeSource: rbdNames
}

/** Returns the name of a field in the server's internal struct. */
export const goName = (name: string, typeName = ""): string =>
  namesInType[typeName]?.[name] ?? goNames[name] ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
