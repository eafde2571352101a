export type { ClientLimit, ClientMaker } from "./ClientMaker.ts"
export { type Component, makeComponent } from "./Component.ts"
export { Components } from "./Components.ts"
export {
  type ControllerManagerOptions,
  type ControlPlane,
  type ControlPlaneSettings,
  cloudManagers,
  controllerManagerLayer,
  type Elections,
  electingComponents,
  initialLeases,
  makeControlPlane,
  schedulerLayer
} from "./ControlPlane.ts"
export { clientLimitOf } from "./controllers/clientLimits.ts"
export { cloudControllerManagerLayer } from "./controllers/cloudControllers.ts"
export { modelledStorageDriver } from "./controllers/storageDriver.ts"
export { isElectionLease, makeElected } from "./election/Election.ts"
export { restartDelayMs } from "./election/restartDelay.ts"
export { identities } from "./identities.ts"
export { type ControllerObserver, Observers } from "./Observers.ts"
export type { PlaneCloud } from "./PlaneCloud.ts"
export { cloudControllerManagerSettings } from "./settings/cloudSettings.ts"
export {
  type ApiServerSettings,
  apiServerFieldSettings,
  apiServerSettings,
  type ControllerManagerSettings,
  controllerManagerSettings,
  type SchedulerSettings,
  schedulerSettings
} from "./settings/components.ts"
export { checkIpam, ipamSettings } from "./settings/ipam.ts"
export {
  type LeaderElectionPlan,
  type LeaderElectionSettings,
  leaderElectionSettings,
  planLeaderElection
} from "./settings/leaderElection.ts"
export { defaultPlacing, type Placing, placingHere, readPlacing } from "./settings/placing.ts"
export { workloadConfigsOf, workloadSettings } from "./settings/workloads.ts"
