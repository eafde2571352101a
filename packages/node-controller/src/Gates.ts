import { CurrentRelease, type FeatureGates, featureGatesOf } from "@rollcall/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The feature gates that controllers run with, where `--feature-gates` says something; else those of the release. */
export const ControllerGates = Context.Reference<FeatureGates | undefined>(
  "@rollcall/node-controller/ControllerGates",
  {
    defaultValue: () => undefined
  }
)

/** The gates as they stand. */
export const currentGates: Effect.Effect<FeatureGates> = Effect.gen(function* () {
  return (yield* ControllerGates) ?? featureGatesOf(yield* CurrentRelease)
})
