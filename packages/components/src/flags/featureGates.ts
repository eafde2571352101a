import type { FeatureGates, Release } from "@rollcall/api"
import { type InvalidInput, invalid } from "@rollcall/input"
import { gateSettings } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Given } from "./gatesFlag.ts"

/** Returns the feature gates of a component of a release, and logs a warning for each gate without effect. */
export const gatesOf = (release: Release, given: Given): Effect.Effect<FeatureGates, InvalidInput> =>
  Effect.gen(function* () {
    const settings = gateSettings(release, given)
    if (Result.isFailure(settings)) return yield* invalid("command line", "--feature-gates", settings.failure)
    for (const gate of settings.success.ineffective) {
      yield* Effect.logWarning("The feature gate has no effect").pipe(Effect.annotateLogs({ gate }))
    }
    return settings.success.gates
  })
