/** Takes snapshots of clusters, reads them, finds their gaps, and plans drains and evictions on them. */

export { unshownVolumes } from "../input/snapshotVolumes.ts"
export { type ClusterObjects, clusterObjects, type Found, type Unseen } from "./cluster/ClusterObjects.ts"
export { latestTimestamp } from "./cluster/latestTimestamp.ts"
export { objectsOfCluster } from "./cluster/objectsOfCluster.ts"
export { objectsOfDocuments } from "./cluster/objectsOfDocuments.ts"
export { type NodePods, type PodsByNode, podsOfDocuments } from "./cluster/podsOfDocuments.ts"
export { annotationKinds, annotationTaken, type Coverage, coverageOf, noCoverage } from "./coverage.ts"
export { drainSnapshotOf } from "./drain/drainSnapshot.ts"
export { drainGapsOf, planClusterDrain } from "./drain/planClusterDrain.ts"
export { plannedScheduler } from "./drain/plannedScheduler.ts"
export { type EvictionObjects, evictionObjects, forecastKinds, type SeenObjects } from "./evictions/evictionObjects.ts"
export { evictionObjectsOfCluster } from "./evictions/evictionObjectsOfCluster.ts"
export { evictionObjectsOfDocuments } from "./evictions/evictionObjectsOfDocuments.ts"
export { GAP_ADVICE, gapsOf } from "./gaps.ts"
export { type Listed, type OutsideOwner, outsideOwnersOf, standInOf } from "./outsideOwners.ts"
export {
  kindsRead,
  type SnapshotKind,
  type SnapshotKindName,
  type SnapshotReader,
  snapshotKinds
} from "./snapshotKinds.ts"
export { renderSnapshot, type TakenKind, type TakenSnapshot, takeSnapshot } from "./take/takeSnapshot.ts"
export { withoutSecrets } from "./take/withoutSecrets.ts"
