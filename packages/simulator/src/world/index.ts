/** The parts of a world, for those who put together a live one: the same machines, links, faults and control plane. */

export { makeWorkloads } from "../expect/Workloads.ts"
export { withCloudFlag } from "../input/cloud.ts"
export { cloudControllerManagerSettings } from "../input/cloudSettings.ts"
export {
  apiServerSettings,
  controllerManagerSettings,
  schedulerSettings
} from "../input/components.ts"
export { type EventContent, eventProblems, type KnownNodes, type PlannedEvent, planEvents } from "../input/events.ts"
export { checkIpam, ipamSettings } from "../input/ipam.ts"
export { leaderElectionSettings } from "../input/leaderElection.ts"
export { readPlacing } from "../input/placing.ts"
export { EventSpec } from "../input/Scenario.ts"
export { unshownVolumes } from "../input/snapshotVolumes.ts"
export { loadStaticPods } from "../input/staticPods.ts"
export { annotationKinds, annotationTaken, type Coverage, coverageOf, noCoverage } from "../snapshot/coverage.ts"
export { GAPLESS, type Gap, gapsOf } from "../snapshot/gaps.ts"
export { type Listed, type OutsideOwner, outsideOwnersOf, standInOf } from "../snapshot/outsideOwners.ts"
export {
  kindsRead,
  type SnapshotKind,
  type SnapshotKindName,
  type SnapshotReader,
  snapshotKinds
} from "../snapshot/snapshotKinds.ts"
export { makeTrace, type Trace } from "../trace/Trace.ts"
export { type ActionContext, createLoaded, performAction } from "./actions.ts"
export type { ClientLimit, ClientMaker } from "./ClientMaker.ts"
export { type Component, makeComponent } from "./Component.ts"
export {
  type ControllerManagerOptions,
  type ControlPlaneSettings,
  cloudManagers,
  controllerManagerLayer,
  schedulerLayer
} from "./ControlPlane.ts"
export { cloudControllerManagerLayer } from "./cloudControllers.ts"
export { identities } from "./identities.ts"
export { type Observation, observe } from "./Observation.ts"
export type { PlaneCloud } from "./PlaneCloud.ts"
export { modelledStorageDriver } from "./storageDriver.ts"
