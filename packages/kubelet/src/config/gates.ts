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
import { otherGates } from "./otherGates.ts"

/** The gates of a kubelet as its configuration leaves them. */
export interface GateSettings {
  readonly gates: FeatureGates
  /** Whether any gate is on, also one that no rule of the model asks for. */
  readonly isOn: (gate: string) => boolean
  /** Gates that were set and that nothing here asks for. */
  readonly ineffective: ReadonlyArray<string>
}

/** Gates that are kept for what a release locks, or another needs, and that no rule here asks for. */
export const gatesWithoutEffect: ReadonlySet<FeatureGate> = new Set([
  "AuthorizeNodeWithSelectors",
  "ContainerRestartRules",
  "CoordinatedLeaderElection",
  "InPlacePodVerticalScaling",
  "UserNamespacesSupport",
  "WatchList",
  "WindowsGracefulNodeShutdown"
])

/** Gates that validation asks for, and that are on unless they are set. */
const onByDefault: ReadonlyArray<string> = [
  "ImageMaximumGCAge",
  "KubeletEnsureSecretPulledImages",
  "NodeLogQuery",
  "RotateKubeletServerCertificate"
]

/**
 * `featureGates` in a release. Gates of Kubernetes that have no effect here are accepted. Fails with upstream's message.
 * Upstream: staging component-base/featuregate, SetFromMap.
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
    } else if (otherGates.has(gate)) ineffective.push(gate)
    else
      return Result.fail(
        `unrecognized feature gate: ${gate}${didYouMean(gate, [...otherGates, ...Object.keys(featureGatesOf(release))])}`
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
