import type { Pod, PodDisruptionBudget } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { Decision } from "./Decision.ts"
import type { SchedulerConfig } from "./SchedulerConfig.ts"
import type { SchedulerMeter } from "./SchedulerMeter.ts"

/** What a scheduler is made of. */
export interface SchedulerParts {
  readonly connection: Connection
  readonly timers: TimersShape
  /** Returns numbers from 0 to below 1: breaks ties. */
  readonly random: () => number
  readonly config: SchedulerConfig
  readonly budgets?: () => ReadonlyArray<PodDisruptionBudget>
  /** Receives the metrics. */
  readonly meter?: SchedulerMeter
  /** Called after each cycle. */
  readonly onDecision?: (pod: Pod, decision: Decision) => void
}
