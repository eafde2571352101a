import type { Pod, PodDisruptionBudget } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { Decision } from "./Decision.ts"
import type { SchedulerConfig } from "./SchedulerConfig.ts"
import type { SchedulerMeter } from "./SchedulerMeter.ts"

/** What a scheduler needs. */
export interface SchedulerParts {
  readonly connection: Connection
  readonly timers: TimersShape
  /** Returns numbers from 0 to below 1; chooses among equally good nodes. */
  readonly random: () => number
  readonly config: SchedulerConfig
  /** All PodDisruptionBudgets, for preemption; absent means that there are none. */
  readonly budgets?: () => ReadonlyArray<PodDisruptionBudget>
  /** Receives the metrics. */
  readonly meter?: SchedulerMeter
  /** Called when a pod uses claims while `cache.devices` is undefined: such pods wait until it is set. */
  readonly onDevicesNeeded?: () => void
  /** Called with the decision of each cycle, before it is applied. */
  readonly onDecision?: (pod: Pod, decision: Decision) => void
}
