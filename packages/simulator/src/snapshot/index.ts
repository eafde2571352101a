// Snapshots of a cluster, which contain no secrets.

export { type SnapshotKindName, snapshotKinds } from "./snapshotKinds.ts"
export { renderSnapshot, type TakenKind, type TakenSnapshot, takeSnapshot } from "./take/takeSnapshot.ts"
export { withoutSecrets } from "./take/withoutSecrets.ts"

// The objects of a cluster, or of documents.

export type { ClusterObjects, MissingObjects } from "./cluster/ClusterObjects.ts"
export { objectsOfCluster } from "./cluster/objectsOfCluster.ts"
export { objectsOfDocuments } from "./cluster/objectsOfDocuments.ts"
export { type NodePods, type PodsByNode, podsOfDocuments } from "./cluster/podsOfDocuments.ts"
export { gapAdvice } from "./gaps.ts"
export type { Listed, OutsideOwner } from "./outsideOwners.ts"

// Plans for a drain, and forecasts of evictions.

export { drainGapsOf, planClusterDrain } from "./drain/planClusterDrain.ts"
export type { EvictionInput, EvictionObjects } from "./evictions/evictionObjects.ts"
export { evictionObjectsOfCluster } from "./evictions/evictionObjectsOfCluster.ts"
export { evictionObjectsOfDocuments } from "./evictions/evictionObjectsOfDocuments.ts"
