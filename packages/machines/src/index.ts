// Machines: modelled computers that run a kubelet.

export type { StartGateShape } from "./GatedRuntime.ts"
export { type InitialHealth, initialHealth, pressures } from "./InitialHealth.ts"
export type { Machine } from "./Machine.ts"
export { MachineDirectory } from "./MachineDirectory.ts"
export type { MachineSpec } from "./MachineSpec.ts"
export { type MachineParts, Machines, type MachinesOptions, type MachinesShape } from "./Machines.ts"
export { KubeletRefused, type MachineOptions, makeMachine } from "./makeMachine.ts"
export { ownPodRange, POD_BLOCKS, podRangeOf } from "./ownPodRange.ts"
export { type ManagedResources, refusedResources } from "./resources.ts"
export { makeServerGate, ServerGate, type ServerGateShape } from "./ServerGate.ts"
export { StartGate } from "./StartGate.ts"
export { shuffled } from "./shuffled.ts"

// How their kubelets are configured.

export { readKubeletFields, readKubeletSettings, resolveKubeletInput, withKubeletLayer } from "./kubeletInput.ts"

// Groups of machines.

export { groupProblem } from "./groups/groupProblems.ts"
export { type MachineGroup, machinesOfGroup } from "./groups/machineGroups.ts"
export { NodeGroup, NodeSelection, taintEffects } from "./groups/NodeGroup.ts"
export { DEFAULT_CAPACITY, type Hardware, hardwareOf, type TopologySpec } from "./groups/topology.ts"

// Links to the API server.

export { type Link, makeLink } from "./link/Link.ts"
export { openStream } from "./link/LinkStream.ts"
export { Links, type LinksShape } from "./link/Links.ts"

// Faults.

export { type ActiveFault, type ActiveFaults, makeActiveFaults } from "./faults/ActiveFaults.ts"
export { type FaultName, faults } from "./faults/faultNames.ts"
export type { FaultContext, FaultSpec } from "./faults/faults.ts"
export { type Candidate, selectNodes, zoneOfNode } from "./faults/selectNodes.ts"

// Clouds that they run in.

export {
  type CloudMachine,
  type CloudOptions,
  type FleetCloud,
  makeFleetCloud
} from "./cloud/FleetCloud.ts"
export { MachineCloud, type MachineCloudOptions, unusedCloudProvider } from "./cloud/MachineCloud.ts"
export { CloudProviderSpec, type InstanceSpec, type PlannedCloud, planCloud } from "./cloud/PlannedCloud.ts"

// Shutdown.

export { type InhibitedMachine, Inhibitors, type InhibitorsShape } from "./shutdown/Inhibitors.ts"
export type { MachineShutdown, MachineShutdownEvent } from "./shutdown/MachineShutdown.ts"
export { makePodKiller } from "./shutdown/podKiller.ts"
export type { ShutdownMachine } from "./shutdown/ShutdownMachine.ts"
