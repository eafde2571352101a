import type { KindName } from "@rollcall/api"

/** The commands that read a snapshot of a cluster. */
export type SnapshotReader = "simulate" | "plan drain" | "plan evictions"

export interface SnapshotKind {
  readonly kind: KindName
  /** The commands that read the kind. */
  readonly readers: ReadonlyArray<SnapshotReader>
  /** The only namespace that is read; absent: all. */
  readonly namespace?: string
}

const planned = ["simulate", "plan drain"] as const
const rehearsed = ["simulate"] as const

/**
 * The kinds of a snapshot, in the order in which `rollcall snapshot` lists them. Owned kinds come before their owners: the owner of a
 * listed object is then in the later list, unless it was deleted in between. Nodes and their Leases come last, because heartbeats
 * age quickly. Secrets are never read.
 */
export const snapshotKinds = [
  { kind: "Pod", readers: ["simulate", "plan drain", "plan evictions"] },
  { kind: "ReplicaSet", readers: planned },
  { kind: "Deployment", readers: planned },
  { kind: "StatefulSet", readers: planned },
  { kind: "DaemonSet", readers: planned },
  { kind: "Job", readers: rehearsed },
  { kind: "ControllerRevision", readers: rehearsed },
  { kind: "PodDisruptionBudget", readers: planned },
  { kind: "PriorityClass", readers: planned },
  { kind: "EndpointSlice", readers: rehearsed },
  { kind: "Service", readers: planned },
  { kind: "Namespace", readers: planned },
  { kind: "VolumeAttachment", readers: rehearsed },
  { kind: "PersistentVolumeClaim", readers: planned },
  { kind: "PersistentVolume", readers: planned },
  { kind: "StorageClass", readers: planned },
  { kind: "CSINode", readers: planned },
  { kind: "CSIDriver", readers: planned },
  { kind: "CSIStorageCapacity", readers: planned },
  { kind: "Node", readers: ["simulate", "plan drain", "plan evictions"] },
  { kind: "Lease", readers: ["simulate", "plan evictions"], namespace: "kube-node-lease" }
] as const satisfies ReadonlyArray<SnapshotKind>

export type SnapshotKindName = (typeof snapshotKinds)[number]["kind"]

/** Returns the kinds that a command reads. */
export const kindsRead = (reader: SnapshotReader): ReadonlyArray<KindName> =>
  snapshotKinds.flatMap(({ kind, readers }) => ((readers as ReadonlyArray<string>).includes(reader) ? [kind] : []))
