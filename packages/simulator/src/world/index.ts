/** The parts of a world, for those who put together a live one: the same machines, links, faults and control plane. */

export { makeWorkloads } from "../expect/Workloads.ts"
export { cloudControllerManagerSettings, withCloudFlag } from "../input/cloud.ts"
export {
  apiServerSettings,
  controllerManagerSettings,
  schedulerSettings
} from "../input/components.ts"
export { type EventContent, eventProblems, type KnownNodes, type PlannedEvent, planEvents } from "../input/events.ts"
export { groupProblem } from "../input/groupProblems.ts"
export { checkIpam, ipamSettings } from "../input/ipam.ts"
export {
  readKubeletFields,
  readKubeletSettings,
  resolveKubeletInput,
  withKubeletLayer
} from "../input/kubelet.ts"
export { leaderElectionSettings } from "../input/leaderElection.ts"
export { readPlacing } from "../input/placing.ts"
export { managersOf, refusedResources } from "../input/resources.ts"
export { EventSpec } from "../input/Scenario.ts"
export { unshownVolumes } from "../input/snapshotVolumes.ts"
export { loadStaticPods } from "../input/staticPods.ts"
export { DEFAULT_CAPACITY, hardwareOf } from "../input/topology.ts"
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
export { type ActiveFault, type ActiveFaults, makeActiveFaults } from "./ActiveFaults.ts"
export { type ActionContext, createLoaded, performAction } from "./actions.ts"
export { chanceFor, shuffled } from "./Chance.ts"
export type { ClientLimit, ClientMaker } from "./Clients.ts"
export { type Component, makeComponent } from "./Component.ts"
export {
  type ControllerManagerOptions,
  type ControlPlaneSettings,
  cloudManagers,
  controllerManagerLayer,
  schedulerLayer
} from "./ControlPlane.ts"
export { cloudControllerManagerLayer } from "./cloudControllers.ts"
export { type CloudMachine, type FleetCloud, makeFleetCloud } from "./FleetCloud.ts"
export { type FaultName, faults } from "./faultNames.ts"
export type { FaultContext } from "./faults.ts"
export { GatedRuntime, type StartGate } from "./GatedRuntime.ts"
export { identities } from "./identities.ts"
export { type Link, makeLink } from "./Link.ts"
export { type Machine, type MachineOptions, type MachineSpec, makeMachine } from "./Machine.ts"
export { type MachineShutdown, type MachineShutdownEvent, makeMachineShutdown } from "./MachineShutdown.ts"
export { ModelledStorage } from "./ModelledStorage.ts"
export { type MachineGroup, machinesOfGroup } from "./machineGroups.ts"
export { NodeGroup } from "./NodeGroup.ts"
export { type Observation, observe } from "./Observation.ts"
export { ownPodRange } from "./ownPodRange.ts"
export type { PlaneCloud } from "./PlaneCloud.ts"
export { CloudProviderSpec, type PlannedCloud, planCloud } from "./PlannedCloud.ts"
export { makePodKiller } from "./podKiller.ts"
export { makeServerGate, type ServerGate } from "./ServerGate.ts"
export { type Candidate, selectNodes, zoneOfNode } from "./selectNodes.ts"
export { modelledStorageDriver } from "./storageDriver.ts"
