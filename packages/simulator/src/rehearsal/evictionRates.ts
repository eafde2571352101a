import { controllerManagerSettings } from "@rollcall/control-plane"
import { settingsInEffect } from "@rollcall/input"
import type { RunPlan } from "./Run.ts"

type Rated = Pick<RunPlan, "release" | "settings">

const ratesOf = ({ release, settings: { controllerManager } }: Rated) =>
  settingsInEffect(controllerManagerSettings, controllerManager, release)

/** Returns `--node-eviction-rate` of the plan, in nodes a second. */
export const evictionRateOf = (plan: Rated): number => ratesOf(plan).nodeEvictionRate

/** Returns the higher of the plan's two eviction rates, in nodes a second: the limit of every zone. */
export const highestRateOf = (plan: Rated): number => {
  const { nodeEvictionRate, secondaryNodeEvictionRate } = ratesOf(plan)
  return Math.max(nodeEvictionRate, secondaryNodeEvictionRate)
}
