import type { DrainPlan } from "@rollcall/drain"
import type { SwapReport } from "@rollcall/kubelet/swap"
import type { EvictionReport } from "@rollcall/node-controller/report"
import type * as Effect from "effect/Effect"
import type { PlanDrainOptions } from "./plan/drain.ts"
import type { PlanEvictionsOptions } from "./plan/evictions.ts"
import type { Planned } from "./plan/Planned.ts"
import type { PlannedShutdown, PlanShutdownOptions } from "./plan/shutdown.ts"
import type { PlanSwapOptions } from "./plan/swap.ts"

/** The plans of `rollcall plan`. Each rejects with `InvalidInput` if a file or an option is wrong. */
export interface Plans {
  /** What draining nodes does, and what blocks it. */
  readonly drain: (options: PlanDrainOptions) => Promise<Planned<DrainPlan>>
  /** Which pods the controllers evict next, when, and why not yet. */
  readonly evictions: (options: PlanEvictionsOptions) => Promise<Planned<EvictionReport["forecast"]>>
  /** Which pods a node's graceful shutdown ends when, with how much time, and what will surprise. */
  readonly shutdown: (options: PlanShutdownOptions) => Promise<PlannedShutdown>
  /** How much swap each container of a node may use. */
  readonly swap: (options: PlanSwapOptions) => Promise<Planned<SwapReport>>
}

const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const { runPromise } = await import("effect/Effect")
  return runPromise(effect)
}

export const plan: Plans = {
  drain: async (options) => run((await import("./plan/drain.ts")).planDrain(options)),
  evictions: async (options) => run((await import("./plan/evictions.ts")).planEvictions(options)),
  shutdown: async (options) => run((await import("./plan/shutdown.ts")).planShutdown(options)),
  swap: async (options) => run((await import("./plan/swap.ts")).planSwap(options))
}
