import type { Release } from "@rollcall/api"
import type {
  ApiServerSettings,
  ControllerManagerSettings,
  Elections,
  Placing,
  SchedulerSettings
} from "@rollcall/control-plane"
import type { KubeletConfig, KubeletSettings } from "@rollcall/kubelet"
import type { MachineGroup, PlannedCloud } from "@rollcall/machines"
import type { OutsideOwner } from "../snapshot/outsideOwners.ts"
import type { PlannedUsage } from "../usage/UsageSpec.ts"
import type { PlannedEvent } from "./events.ts"
import type { PlannedExpectation } from "./expectations.ts"
import type { LayersFile } from "./layers.ts"
import type { LoadedObject } from "./objects.ts"
import type { ScenarioDocument } from "./Scenario.ts"
import type { StoragePlan } from "./storage.ts"

/** A scenario ready to run: every file that it names was read, and every name in it was checked. */
export interface Plan {
  /** The file of the scenario, for messages. */
  readonly file: string
  readonly name: string
  readonly description: string
  readonly release: Release
  readonly seed: number
  /** Time 0, in milliseconds since the Unix epoch: when the snapshot was taken, so that its times lie in the past. */
  readonly startMs: number
  readonly durationMs: number
  /** The node groups of the scenario. */
  readonly groups: ReadonlyArray<MachineGroup>
  /** The objects of a snapshot of a real cluster, which exist before time 0. */
  readonly snapshot: ReadonlyArray<LoadedObject>
  /** Owners that objects of the snapshot refer to and that it lacks. The rehearsal assumes that they exist and do nothing. */
  readonly outsideOwners: ReadonlyArray<OutsideOwner>
  /** Workloads of the snapshot whose pods cannot be determined: `Deployment/default/web`. Their availability is not tracked. */
  readonly untrackedWorkloads: ReadonlySet<string>
  /** Nodes of the snapshot that had stopped sending heartbeats while their Ready condition was not Unknown yet. */
  readonly silentNodes: ReadonlySet<string>
  /** Objects to create at time 0, in order. */
  readonly objects: ReadonlyArray<LoadedObject>
  readonly settings: {
    readonly controllerManager: ControllerManagerSettings
    readonly apiServer: ApiServerSettings
    readonly scheduler: SchedulerSettings
    /** Returns the scheduler's configuration for the plugins that the user's layers add: it may name them. */
    readonly placing: Placing
    readonly kubelet: KubeletSettings
  }
  /** The spec of the scenario as written, for readers that use only a part of it, such as `rollcall up`. */
  readonly written: ScenarioDocument["spec"]
  /** The number of machines of the control plane. Each runs a kube-controller-manager and a kube-scheduler. */
  readonly replicas: number
  readonly elections: Elections
  /** The configuration of kubelets that are in no group: those of Node objects. */
  readonly kubelet: KubeletConfig
  /** The cloud provider of the machines; undefined if there is none. */
  readonly cloud: PlannedCloud | undefined
  /** The timings of a recorded run, which the kubelets have instead of their own; undefined if the scenario is no recording. */
  readonly driver: ScenarioDocument["spec"]["driver"]
  /** The layer files that the scenario names: code that replaces ports of the rehearsal. The caller loads them. */
  readonly layers: ReadonlyArray<LayersFile>
  /** What groups of pods use over time. */
  readonly usage: ReadonlyArray<PlannedUsage>
  /** The events in time order. */
  readonly events: ReadonlyArray<PlannedEvent>
  /** What volumes need; undefined if the scenario has no volumes. */
  readonly storage: StoragePlan | undefined
  /** The objects that an event applies or deletes, by the event's index in the file. */
  readonly eventObjects: ReadonlyMap<number, ReadonlyArray<LoadedObject>>
  readonly expectations: ReadonlyArray<PlannedExpectation>
  /** Messages about what has no effect in the rehearsal, and what it assumes. */
  readonly warnings: ReadonlyArray<string>
}
