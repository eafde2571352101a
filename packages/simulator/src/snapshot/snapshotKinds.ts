import type { KindName } from "@rollcall/api"

/** What reads a snapshot of a cluster. */
export type SnapshotReader = "simulate" | "plan drain" | "plan evictions"

export interface SnapshotKind {
  readonly kind: KindName
  /** Who makes use of it. */
  readonly readers: ReadonlyArray<SnapshotReader>
  /** The only namespace that is of interest; absent: all. */
  readonly namespace?: string
}

const planned = ["simulate", "plan drain"] as const
const rehearsed = ["simulate"] as const

/**
 * The kinds that a snapshot of a cluster is made of: `rollcall snapshot` takes them in this order, and every reader looks for its own.
 * What is owned stands before its owners: an object that was there when it was listed still has its owner in a list taken later,
 * unless the owner has been deleted. Nodes and their Leases come last, as signs of life grow old. Never Secrets.
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

/** The kinds that a reader makes use of. */
export const kindsRead = (reader: SnapshotReader): ReadonlyArray<KindName> =>
  snapshotKinds.flatMap(({ kind, readers }) => ((readers as ReadonlyArray<string>).includes(reader) ? [kind] : []))
