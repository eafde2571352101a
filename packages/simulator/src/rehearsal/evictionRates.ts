import type { RunPlan } from "./Run.ts"

const DEFAULT_EVICTION_RATE = 0.1
const DEFAULT_SECONDARY_RATE = 0.01

type Rated = Pick<RunPlan, "settings">

/** Returns `--node-eviction-rate` of the plan, in nodes a second. */
export const evictionRateOf = ({ settings: { controllerManager } }: Rated): number =>
  typeof controllerManager.nodeEvictionRate === "number" ? controllerManager.nodeEvictionRate : DEFAULT_EVICTION_RATE

/** Returns the higher of the plan's two eviction rates, in nodes a second: the limit of every zone. */
export const highestRateOf = (plan: Rated): number => {
  const { secondaryNodeEvictionRate: secondary } = plan.settings.controllerManager
  return Math.max(evictionRateOf(plan), typeof secondary === "number" ? secondary : DEFAULT_SECONDARY_RATE)
}
