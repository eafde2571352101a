import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type FeatureGates, featureGatesOf } from "./FeatureGates.ts"
import { CurrentRelease } from "./Release.ts"

/** The controllers' feature gates as set by `--feature-gates`; undefined stands for those of the current release. */
export const ControllerGates = Context.Reference<FeatureGates | undefined>("@rollcall/api/ControllerGates", {
  defaultValue: () => undefined
})

/** The gates in effect: `ControllerGates`, or those of the current release. */
export const currentGates: Effect.Effect<FeatureGates> = Effect.gen(function* () {
  return (yield* ControllerGates) ?? featureGatesOf(yield* CurrentRelease)
})
