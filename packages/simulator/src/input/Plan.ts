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
import type { PlannedEvent } from "./events.ts"
import type { PlannedExpectation } from "./expectations.ts"
import type { LayersFile } from "./layers.ts"
import type { LoadedObject } from "./objects.ts"
import type { ScenarioDocument } from "./Scenario.ts"
import type { StoragePlan } from "./storage.ts"

/** A scenario ready to run: every file read, every name checked. */
export interface Plan {
  readonly file: string
  readonly name: string
  readonly description: string
  readonly release: Release
  readonly seed: number
  readonly durationMs: number
  readonly groups: ReadonlyArray<MachineGroup>
  /** Objects of a real cluster, restored as they are. */
  readonly snapshot: ReadonlyArray<LoadedObject>
  /** Owners that the snapshot's objects name and that it lacks: they are taken to be there, and to do nothing. */
  readonly outside: ReadonlyArray<OutsideOwner>
  /** Workloads of the snapshot of which it is not known how many pods are theirs: `Deployment/default/web`. */
  readonly unknown: ReadonlySet<string>
  /** Nodes of the snapshot that had fallen silent, though the API did not know it yet. */
  readonly silent: ReadonlySet<string>
  /** Objects to create at time 0, in order. */
  readonly objects: ReadonlyArray<LoadedObject>
  readonly settings: {
    readonly controllerManager: ControllerManagerSettings
    readonly apiServer: ApiServerSettings
    readonly scheduler: SchedulerSettings
    readonly placing: Placing
    readonly kubelet: KubeletSettings
  }
  /** As it is written: for readers that take only a part of it. */
  readonly written: ScenarioDocument["spec"]
  /** How many machines the control plane has: each runs a kube-controller-manager and a kube-scheduler. */
  readonly replicas: number
  readonly elections: Elections
  /** Of kubelets in no group: those of a snapshot's Nodes. */
  readonly kubelet: KubeletConfig
  /** The cloud that the machines are of; undefined: none. */
  readonly cloud: PlannedCloud | undefined
  readonly driver: ScenarioDocument["spec"]["driver"]
  /** Files of layers for ports of its world; the caller loads them. */
  readonly layers: ReadonlyArray<LayersFile>
  readonly events: ReadonlyArray<PlannedEvent>
  /** What volumes need; undefined: there are none. */
  readonly storage: StoragePlan | undefined
  /** Objects that an event applies, deletes or patches, by the event's index. */
  readonly eventObjects: ReadonlyMap<number, ReadonlyArray<LoadedObject>>
  readonly expectations: ReadonlyArray<PlannedExpectation>
  /** What was understood but has no effect here. */
  readonly warnings: ReadonlyArray<string>
}
