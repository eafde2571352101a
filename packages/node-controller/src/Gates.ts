import { CurrentRelease, type FeatureGates, featureGatesOf } from "@rollcall/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The controllers' feature gates as set by `--feature-gates`; undefined: the release's. */
export const ControllerGates = Context.Reference<FeatureGates | undefined>(
  "@rollcall/node-controller/ControllerGates",
  {
    defaultValue: () => undefined
  }
)

/** The effective gates. */
export const currentGates: Effect.Effect<FeatureGates> = Effect.gen(function* () {
  return (yield* ControllerGates) ?? featureGatesOf(yield* CurrentRelease)
})
