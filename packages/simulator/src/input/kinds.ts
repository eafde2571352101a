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
