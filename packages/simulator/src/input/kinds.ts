import type { KindName } from "@rollcall/api"

/** The kinds that nodes and pods are made of. */
export const rehearsedKinds: ReadonlyArray<KindName> = [
  "Node",
  "Pod",
  "Namespace",
  "Event",
  "ConfigMap",
  "Secret",
  "ServiceAccount",
  "Lease",
  "PriorityClass",
  "ReplicaSet",
  "Deployment",
  "DaemonSet",
  "StatefulSet",
  "Job",
  "PodDisruptionBudget",
  "VolumeAttachment",
  "CSINode"
]

/** The kinds whose garbage is collected. Leases outlive their nodes here: to follow them all would cost a look at every heartbeat. */
export const collectedKinds = (hasVolumes: boolean): ReadonlyArray<KindName> => [
  ...rehearsedKinds.filter((kind) => kind !== "Lease" && kind !== "Event"),
  ...(hasVolumes ? (["PersistentVolumeClaim"] as const) : [])
]

/** The kinds that something in a rehearsal looks at. What else the API serves would only lie there. */
export const loadedKinds: ReadonlyArray<KindName> = [
  ...rehearsedKinds,
  "Service",
  "EndpointSlice",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "StorageClass",
  "CSIDriver",
  "CSIStorageCapacity",
  "ControllerRevision"
]

const names: ReadonlySet<string> = new Set(loadedKinds)

export const isRehearsedKind = (kind: string): kind is KindName => names.has(kind)
