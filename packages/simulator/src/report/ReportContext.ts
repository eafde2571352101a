import type { Release } from "@rollcall/api"
import type { Workload } from "../expect/Workloads.ts"
import type { PlannedEvent } from "../input/events.ts"
import type { Owners } from "./owners.ts"
import type { Rules } from "./Rules.ts"

/** What the report needs to know beside the result. */
export interface ReportContext {
  readonly description: string
  readonly zoneOf: (node: string) => string
  /** Nodes a second that a zone's limiter starts with. */
  readonly evictionRate: number
  /** What is done to a lost node: it is tainted, or emptied. */
  readonly podEviction?: Release["podEviction"]
  /** The events of the scenario, in the order in which they happen. */
  readonly events?: ReadonlyArray<PlannedEvent>
  /** The numbers by which the control plane went; without them the report says what happened and not why. */
  readonly rules?: Rules
  /** Static pods that name a priority class and give no priority: the class, by the pod's name on its node. */
  readonly classOnly?: ReadonlyMap<string, string>
  /** All nodes, those that nothing happened to among them. */
  readonly nodes?: ReadonlyArray<string>
  /** The owners of the pods that were there when the run began. */
  readonly owners?: Owners
  /** Owners that are taken to be there and to do nothing, as the snapshot lacks them: `shop/StatefulSet/db`. */
  readonly outside?: ReadonlySet<string>
  /** How many replicas of each workload were ready and wanted, over time. */
  readonly workloads?: ReadonlyArray<Workload>
}
