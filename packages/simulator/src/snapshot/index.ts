/** What a snapshot of a cluster shows, and what it leaves out: for whoever reads one. */

export { unshownVolumes } from "../input/snapshotVolumes.ts"
export { annotationKinds, annotationTaken, type Coverage, coverageOf, noCoverage } from "./coverage.ts"
export { GAPLESS, type Gap, gapsOf } from "./gaps.ts"
export { type Listed, type OutsideOwner, outsideOwnersOf, standInOf } from "./outsideOwners.ts"
export {
  kindsRead,
  type SnapshotKind,
  type SnapshotKindName,
  type SnapshotReader,
  snapshotKinds
} from "./snapshotKinds.ts"
