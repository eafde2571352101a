import {
  didYouMean,
  type FeatureGate,
  type FeatureGates,
  featureGatesOf,
  isFeatureGate,
  type Release,
  resolveFeatureGates
} from "@rollcall/api"
import * as Result from "effect/Result"
import { unsupportedGates } from "./unsupportedGates.ts"

/** The feature gates of a kubelet, from its release and its configuration. */
export interface GateSettings {
  readonly gates: FeatureGates
  /** Whether a gate is on. Accepts any gate of Kubernetes, also those that are not in `gates`. */
  readonly isOn: (gate: string) => boolean
  /** Gates that were set and have no effect here. */
  readonly ineffective: ReadonlyArray<string>
}

/**
 * Gates that `@rollcall/api` lists, because a release locks them or another gate depends on them, but that have no
 * effect here.
 */
export const gatesWithoutEffect: ReadonlySet<FeatureGate> = new Set([
  "AuthorizeNodeWithSelectors",
  "ContainerRestartRules",
  "CoordinatedLeaderElection",
  "WatchList",
  "WindowsGracefulNodeShutdown"
])

/**
 * Gates outside of `@rollcall/api` that validation depends on and that are on by default; other such gates are off by
 * default.
 */
const onByDefault: ReadonlyArray<string> = ["NodeLogQuery", "RotateKubeletServerCertificate"]

/**
 * Returns the gates of a release after `featureGates` are applied. Gates of Kubernetes that have no effect here are
 * accepted. Fails with upstream's message. Upstream: staging component-base/featuregate, SetFromMap.
 */
export const gateSettings = (
  release: Release,
  given: Readonly<Record<string, boolean>>
): Result.Result<GateSettings, string> => {
  const known: Record<string, boolean> = {}
  const ineffective: Array<string> = []
  for (const [gate, on] of Object.entries(given)) {
    if (gate === "AllAlpha" || gate === "AllBeta" || isFeatureGate(gate)) {
      known[gate] = on
      if (isFeatureGate(gate) && gatesWithoutEffect.has(gate)) ineffective.push(gate)
    } else if (unsupportedGates.has(gate)) ineffective.push(gate)
    else
      return Result.fail(
        `unrecognized feature gate: ${gate}${didYouMean(gate, [...unsupportedGates, ...Object.keys(featureGatesOf(release))])}`
      )
  }
  return Result.mapBoth(resolveFeatureGates(release, known), {
    onFailure: ({ message }) => message,
    onSuccess: (gates): GateSettings => ({
      gates,
      isOn: (gate) => (isFeatureGate(gate) ? gates[gate] : (given[gate] ?? onByDefault.includes(gate))),
      ineffective
    })
  })
}
