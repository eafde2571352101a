import type { KindName } from "@rollcall/api"

/** The commands that read a snapshot of a cluster. */
export type SnapshotReader = "simulate" | "plan drain" | "plan evictions"

/** A kind of a snapshot. */
export interface SnapshotKind {
  readonly kind: KindName
  /** The commands that read the kind. */
  readonly readers: ReadonlyArray<SnapshotReader>
  /** The only namespace that is read; absent if all are. */
  readonly namespace?: string
}

const rehearsalsAndDrains = ["simulate", "plan drain"] as const
const rehearsals = ["simulate"] as const

/**
 * The kinds of a snapshot, in the order in which `rollcall snapshot` lists them. Owned kinds come before their owners: the owner of a
 * listed object is then in the later list, unless it was deleted in between. Nodes and their Leases come last, because heartbeats
 * age quickly. Secrets are never read.
 */
export const snapshotKinds = [
  { kind: "Pod", readers: ["simulate", "plan drain", "plan evictions"] },
  { kind: "ReplicaSet", readers: rehearsalsAndDrains },
  { kind: "Deployment", readers: rehearsalsAndDrains },
  { kind: "StatefulSet", readers: rehearsalsAndDrains },
  { kind: "DaemonSet", readers: rehearsalsAndDrains },
  { kind: "ReplicationController", readers: rehearsalsAndDrains },
  { kind: "Job", readers: rehearsals },
  { kind: "CronJob", readers: rehearsals },
  { kind: "ControllerRevision", readers: rehearsals },
  { kind: "PodDisruptionBudget", readers: rehearsalsAndDrains },
  { kind: "HorizontalPodAutoscaler", readers: rehearsals },
  { kind: "ResourceQuota", readers: rehearsals },
  { kind: "LimitRange", readers: rehearsals },
  { kind: "PriorityClass", readers: rehearsalsAndDrains },
  { kind: "RuntimeClass", readers: rehearsals },
  { kind: "EndpointSlice", readers: rehearsals },
  { kind: "Service", readers: rehearsalsAndDrains },
  { kind: "Namespace", readers: rehearsalsAndDrains },
  { kind: "VolumeAttachment", readers: rehearsals },
  { kind: "PersistentVolumeClaim", readers: rehearsalsAndDrains },
  { kind: "PersistentVolume", readers: rehearsalsAndDrains },
  { kind: "StorageClass", readers: rehearsalsAndDrains },
  { kind: "CSINode", readers: rehearsalsAndDrains },
  { kind: "CSIDriver", readers: rehearsalsAndDrains },
  { kind: "CSIStorageCapacity", readers: rehearsalsAndDrains },
  { kind: "Node", readers: ["simulate", "plan drain", "plan evictions"] },
  { kind: "Lease", readers: ["simulate", "plan evictions"], namespace: "kube-node-lease" }
] as const satisfies ReadonlyArray<SnapshotKind>

export type SnapshotKindName = (typeof snapshotKinds)[number]["kind"]

/** Returns the kinds that a command reads. */
export const kindsRead = (reader: SnapshotReader): ReadonlyArray<KindName> =>
  snapshotKinds.flatMap(({ kind, readers }) => ((readers as ReadonlyArray<string>).includes(reader) ? [kind] : []))
