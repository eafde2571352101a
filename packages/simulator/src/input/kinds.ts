import type { KindName } from "@rollcall/api"

/** The kinds that every rehearsal handles: nodes, pods, and what controls them. */
export const coreKinds: ReadonlyArray<KindName> = [
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

/**
 * Returns the kinds that the garbage collector watches. Leases are left out, because a watch of them would handle every heartbeat: in a
 * rehearsal the Lease of a deleted node remains.
 */
export const collectedKinds = (hasVolumes: boolean, hasDevices: boolean): ReadonlyArray<KindName> => [
  ...coreKinds.filter((kind) => kind !== "Lease" && kind !== "Event"),
  ...(hasVolumes ? (["PersistentVolumeClaim"] as const) : []),
  ...(hasDevices ? (["ResourceClaim"] as const) : [])
]

export const deviceKinds = ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"] as const

/** The kinds that a rehearsal loads from manifests and snapshots. No component of it reads other kinds. */
export const modelledKinds: ReadonlyArray<KindName> = [
  ...coreKinds,
  "ReplicationController",
  "CronJob",
  "HorizontalPodAutoscaler",
  "RuntimeClass",
  "ResourceQuota",
  "LimitRange",
  "Service",
  "EndpointSlice",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "StorageClass",
  "CSIDriver",
  "CSIStorageCapacity",
  ...deviceKinds,
  "ControllerRevision"
]

const kindNames: ReadonlySet<string> = new Set(modelledKinds)

/** Returns whether a rehearsal loads objects of a kind. */
export const isModelledKind = (kind: string): kind is KindName => kindNames.has(kind)
