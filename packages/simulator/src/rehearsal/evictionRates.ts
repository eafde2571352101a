import { controllerManagerSettings } from "@rollcall/control-plane"
import { settingsInEffect } from "@rollcall/input"
import type { RunPlan } from "./Run.ts"

type RatePlan = Pick<RunPlan, "release" | "settings">

const ratesOf = ({ release, settings: { controllerManager } }: RatePlan) =>
  settingsInEffect(controllerManagerSettings, controllerManager, release)

/** Returns `--node-eviction-rate` of the plan, in nodes a second. */
export const evictionRateOf = (plan: RatePlan): number => ratesOf(plan).nodeEvictionRate

/** Returns the higher of the plan's two eviction rates, in nodes a second, which no zone may exceed. */
export const highestRateOf = (plan: RatePlan): number => {
  const { nodeEvictionRate, secondaryNodeEvictionRate } = ratesOf(plan)
  return Math.max(nodeEvictionRate, secondaryNodeEvictionRate)
}
